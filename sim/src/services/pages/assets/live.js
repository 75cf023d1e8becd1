// Keeps every element marked `data-live` as the server renders it now. An event says only that something changed: what is
// shown comes from reading the page again, so nothing can be doubled or missed.
"use strict";
(() => {
  const connection = document.getElementById("connection");
  const source = document.body.dataset.source;

  // Makes a node like another one and keeps what is equal, and with it focus and scroll positions.
  function morph(shown, now) {
    if (shown.isEqualNode(now)) return;
    if (shown.nodeType !== Node.ELEMENT_NODE || shown.nodeName !== now.nodeName) {
      shown.replaceWith(document.importNode(now, true));
      return;
    }
    for (const { name } of [...shown.attributes]) {
      if (!now.hasAttribute(name)) shown.removeAttribute(name);
    }
    for (const { name, value } of now.attributes) {
      if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
    }
    const before = [...shown.childNodes];
    const after = [...now.childNodes];
    after.forEach((node, place) => {
      if (before[place]) morph(before[place], node);
      else shown.append(document.importNode(node, true));
    });
    before.slice(after.length).forEach((node) => node.remove());
  }

  async function read() {
    const response = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => {
      throw new Error("the platform does not answer");
    });
    const now = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const shown of document.querySelectorAll("[data-live]")) {
      const next = now.getElementById(shown.id);
      if (next) morph(shown, next);
    }
    document.dispatchEvent(new Event("refreshed"));
  }

  let reading = Promise.resolve();
  let waiting = null;
  // Resolves once a reading has ended that began after the call.
  function refresh() {
    waiting ??= reading.catch(() => {}).then(() => {
      waiting = null;
      return read();
    });
    reading = waiting;
    return waiting;
  }

  // Puts the fields of a form into the address of the page and reads it again from its first page; other parameters stay.
  function ask(form) {
    const asked = new URLSearchParams(location.search);
    for (const { name } of form.elements) asked.delete(name);
    asked.delete("page");
    for (const [name, value] of new FormData(form)) {
      if (value !== "") asked.append(name, value);
    }
    history.replaceState(null, "", asked.size ? `?${asked}` : location.pathname);
    return refresh();
  }

  for (const form of document.querySelectorAll("form[data-asks]")) {
    let pause;
    form.addEventListener("input", () => {
      clearTimeout(pause);
      pause = setTimeout(() => ask(form).catch(() => {}), 200);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(pause);
      if (!form.hasAttribute("data-sends")) ask(form).catch(() => {});
    });
  }

  // A link whose page differs in a part that is read again needs no new page.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-stays]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.href);
    refresh().catch(() => {});
  });

  // A click on a number or an address copies what its title says.
  const copied = document.getElementById("copied");
  let forget;
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      copied.textContent = `Copied ${text}`;
    } catch (error) {
      copied.textContent = `Not copied: ${error.message}`;
    }
    clearTimeout(forget);
    forget = setTimeout(() => copied.replaceChildren(), 2000);
  }
  document.addEventListener("click", (event) => {
    const exact = event.target.closest("data[title], button.copy");
    if (exact) copy(exact.title);
  });

  let events = null;
  let retry;
  function say(text) {
    if (connection.textContent !== text) connection.textContent = text;
  }
  function connect() {
    clearTimeout(retry);
    events?.close();
    events = new EventSource(source);
    events.addEventListener("changed", () => refresh().then(() => say("live"), lost));
    events.addEventListener("error", lost);
  }
  // A new connection begins with an event, so the page is read again whatever was lost.
  function lost() {
    say("connection lost, trying again");
    clearTimeout(retry);
    retry = setTimeout(connect, 1000);
  }
  // A hidden page takes none of the few connections that a browser opens to one origin.
  function follow() {
    if (document.visibilityState === "visible") {
      connect();
    } else {
      clearTimeout(retry);
      events?.close();
      say("paused");
    }
  }
  if (source) {
    document.addEventListener("visibilitychange", follow);
    follow();
    // Times are shown by their distance from now.
    setInterval(() => document.visibilityState === "visible" && refresh().catch(() => {}), 60_000);
  }
  window.slipway = { ask, refresh };
})();
