"use strict";
const search = document.getElementById("search");
const boxes = [...document.querySelectorAll("input[name=verdict]")];
const checks = [...document.querySelectorAll(".check")].map((element) => ({
  element,
  text: (element.closest(".section").querySelector("h2").textContent + " " + element.closest(".clause").textContent).toLowerCase(),
}));
function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let any = false;
  for (const { element, text } of checks) {
    const matches = shown.has(element.dataset.verdict) && words.every((word) => text.includes(word));
    element.hidden = !matches;
    any = any || matches;
  }
  for (const selector of [".clause", ".section"]) {
    for (const group of document.querySelectorAll(selector)) {
      group.hidden = !group.querySelector(".check:not([hidden])");
      if (selector === ".section" && words.length && !group.hidden) group.open = true;
    }
  }
  document.getElementById("nothing").hidden = any;
}
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) {
    const section = target.closest(".section");
    if (section) section.open = true;
    target.scrollIntoView();
  }
}
document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("filter").addEventListener("input", apply);
window.addEventListener("hashchange", reveal);
reveal();
