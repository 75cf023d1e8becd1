// Makes the call that a form or button names, and shows it as the curl line that does the same.
"use strict";
(() => {
  const { token, authorized } = document.getElementById("token").dataset;
  const call = document.getElementById("call");
  const answer = document.getElementById("answer");

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  async function send(method, path, body) {
    const text = body && Object.keys(body).length ? JSON.stringify(body) : null;
    const line = ["curl", "-s", "-X", method];
    if (authorized !== undefined) line.push("-H", '"authorization: Bearer $SLIPWAY_CONTROL_TOKEN"');
    if (text) line.push("-H", "'content-type: application/json'", "-d", quoted(text));
    line.push(quoted(location.origin + path));
    call.textContent = line.join(" ");
    answer.textContent = "…";
    try {
      const headers = { "x-console-token": token };
      if (text) headers["content-type"] = "application/json";
      const response = await fetch(path, { method, headers, body: text });
      answer.textContent = `${response.status} ${await response.text()}`;
    } catch (error) {
      answer.textContent = `no answer: ${error.message}`;
    }
    await slipway.refresh().catch(() => {});
  }

  // What is no JSON is sent as it is: the refusal names the field.
  function read(text) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  // The fields of a form as the members of an object; `a.b` is a member of a member, and an empty field is absent.
  function asked(form) {
    let path = form.dataset.path;
    const body = {};
    for (const field of form.elements) {
      if (!field.name) continue;
      const value = field.value.trim();
      if (path.includes(`{${field.name}}`)) {
        path = path.replace(`{${field.name}}`, encodeURIComponent(value));
        continue;
      }
      if (value === "") continue;
      const given = field.hasAttribute("data-json") ? read(value) : value;
      const [name, member] = field.name.split(".");
      if (member) body[name] = { ...body[name], [member]: given };
      else body[name] = given;
    }
    return { path, body };
  }

  document.addEventListener("submit", (event) => {
    if (!event.submitter?.dataset.method) return;
    event.preventDefault();
    const { path, body } = asked(event.target);
    send(event.submitter.dataset.method, path, body);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-path]");
    if (button) send(button.dataset.method, button.dataset.path, JSON.parse(button.dataset.body ?? "null"));
  });
  document.addEventListener("change", (event) => {
    const { path } = event.target.dataset;
    if (path && event.target.type === "checkbox") send(event.target.checked ? "PUT" : "DELETE", path);
  });

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // Switches that something in front of the platform adds.
  async function panels(place) {
    const response = await fetch("/_sim/panels");
    for (const [number, { title, switches }] of (await response.json()).panels.entries()) {
      const filter = element("input", { type: "search" });
      const list = element("ul", { className: "switches" });
      for (const { path, summary, on, can } of switches) {
        const box = element("input", { type: "checkbox", checked: on, disabled: can === false });
        box.dataset.path = path;
        list.append(element("li", {}, element("label", {}, box, ` ${summary}`)));
      }
      filter.addEventListener("input", () => {
        for (const item of list.children) {
          item.hidden = !item.textContent.toLowerCase().includes(filter.value.toLowerCase());
        }
      });
      const head = element("h2", { id: `panel-${number}` }, title);
      const section = element("section", {}, head, element("label", {}, "Find", filter), list);
      section.setAttribute("aria-labelledby", head.id);
      place.append(section);
    }
  }
  const place = document.getElementById("panels");
  if (place) panels(place);
})();
