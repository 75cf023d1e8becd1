// Shows the sample under the pointer: its time, price and volume, and a line at its place.
"use strict";
(() => {
  const plot = document.getElementById("plot");
  const drawing = document.getElementById("drawing");
  const hover = document.getElementById("hover");

  function show(event) {
    const { samples, decimals, symbol } = document.getElementById("samples").dataset;
    const [times, prices, volumes] = JSON.parse(samples);
    const { left, width } = drawing.getBoundingClientRect();
    const part = (event.clientX - left) / width;
    const place = Math.floor(part * times.length);
    if (!(place in times)) return hide();
    const text = (units) => `${slipway.short(BigInt(units), Number(decimals))} ${symbol}`;
    const time = new Date(times[place] * 1000).toISOString().slice(0, 16).replace("T", " ");
    const lines = [time, `Price ${text(prices[place])}`, `Volume ${text(volumes[place])}`];
    hover.replaceChildren(...lines.flatMap((line) => [document.createElement("br"), line]).slice(1));
    hover.hidden = false;
    const x = event.clientX - plot.getBoundingClientRect().left;
    hover.classList.toggle("before", part > 0.5);
    hover.style.setProperty("--x", `${x}px`);
  }
  function hide() {
    hover.hidden = true;
  }
  drawing.addEventListener("pointermove", show);
  drawing.addEventListener("pointerleave", hide);
})();
