"use strict";
const search = document.getElementById("search");
const boxes = [...document.querySelectorAll("input[name=verdict]")];
const checks = [...document.querySelectorAll(".check")].map((element) => ({
  element,
  text: (element.closest(".section, .group").querySelector("h2").textContent + " " + element.closest(".clause").textContent).toLowerCase(),
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
  // Lines that lead to a clause above its section are no results.
  const filtered = words.length > 0 || shown.size < boxes.length;
  for (const line of document.querySelectorAll(".moved")) line.hidden = filtered;
  for (const clause of document.querySelectorAll(".clause")) clause.hidden = !clause.querySelector(".check:not([hidden])");
  for (const part of document.querySelectorAll(".section, .group")) {
    part.hidden = !part.querySelector(".check:not([hidden]), .moved:not([hidden])");
    if (words.length && !part.hidden && part.matches(".section")) part.open = true;
  }
  document.getElementById("nothing").hidden = any;
}
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  target.scrollIntoView();
}
// An excerpt shows the first difference that it has.
function excerpt(details) {
  for (const pre of details.querySelectorAll("pre")) {
    const mark = pre.querySelector(".judged, mark");
    if (mark) pre.scrollTop = mark.offsetTop - pre.clientHeight / 3;
  }
}
for (const details of document.querySelectorAll(".exchange")) {
  if (details.open) excerpt(details);
  details.addEventListener("toggle", () => details.open && excerpt(details));
}
document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("filter").addEventListener("input", apply);
window.addEventListener("hashchange", reveal);
reveal();
