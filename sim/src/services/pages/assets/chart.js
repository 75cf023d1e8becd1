// Shows the candle under the pointer: its time, prices and volumes, and the price at the height of the pointer.
"use strict";
(() => {
  const plot = document.getElementById("plot");
  const drawing = document.getElementById("drawing");
  const hover = document.getElementById("hover");
  const level = document.getElementById("level");
  // Parts of the height, as `candles.rs` draws them: the margin above, the prices, and everything.
  const [MARGIN, PRICES, TOTAL] = [10, 1000, 1410];

  // The price at a part of the height of the prices, from the top.
  function priceAt(part, lows, highs, isLog) {
    const [least, most] = [lows, highs].map((prices) => prices.map(Number));
    const [low, high] = [Math.min(...least), Math.max(...most)];
    const price = isLog && low > 0 ? high * (low / high) ** part : high - (high - low) * part;
    return BigInt(Math.round(price));
  }

  function show(event) {
    const { candles, places, decimals, symbol, log } = document.getElementById("candles").dataset;
    const lists = candles.split(";").map((list) => list.split(" "));
    const [times, opens, highs, lows, closes, bought, sold] = lists;
    const { left, top, width, height } = drawing.getBoundingClientRect();
    const part = (event.clientX - left) / width;
    const place = Math.floor(part * places) - (places - times.length);
    if (!(place in times)) return hide();
    const text = (units) => slipway.short(BigInt(units), Number(decimals));
    const time = new Date(times[place] * 1000).toISOString().slice(0, 16).replace("T", " ");
    const lines = [
      time,
      `Open ${text(opens[place])}`,
      `High ${text(highs[place])}`,
      `Low ${text(lows[place])}`,
      `Close ${text(closes[place])} ${symbol}`,
      `Bought ${text(bought[place])} ${symbol}`,
      `Sold ${text(sold[place])} ${symbol}`,
    ];
    hover.replaceChildren(...lines.flatMap((line) => [document.createElement("br"), line]).slice(1));
    hover.hidden = false;
    const frame = plot.getBoundingClientRect();
    hover.classList.toggle("before", part > 0.5);
    hover.style.setProperty("--x", `${event.clientX - frame.left}px`);
    const high = (((event.clientY - top) / height) * TOTAL - MARGIN) / PRICES;
    level.hidden = high < 0 || high > 1;
    if (level.hidden) return;
    level.textContent = text(priceAt(high, lows, highs, log !== undefined));
    level.style.setProperty("--y", `${event.clientY - frame.top}px`);
  }
  function hide() {
    hover.hidden = true;
    level.hidden = true;
  }
  drawing.addEventListener("pointermove", show);
  drawing.addEventListener("pointerleave", hide);
})();
