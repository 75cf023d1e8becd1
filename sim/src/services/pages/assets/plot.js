// Draws price and volume over time from the samples that the server renders.
"use strict";
(() => {
  const place = document.getElementById("plot");
  let drawn = null;
  let plot = null;

  function draw() {
    const text = document.getElementById("samples").dataset.samples;
    if (text === drawn) return;
    drawn = text;
    const data = JSON.parse(text);
    if (plot) {
      plot.setData(data);
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const textColour = style.getPropertyValue("--text");
    const numbers = (_, ticks) => ticks.map((tick) => (tick === 0 ? "0" : tick.toPrecision(3)));
    const axis = { stroke: textColour, grid: { stroke: style.getPropertyValue("--line") }, ticks: { show: false } };
    plot = new uPlot(
      {
        width: place.clientWidth,
        height: 240,
        legend: { show: false },
        cursor: { show: false },
        scales: { volume: { range: (_, least, most) => [0, 3 * (most || 1)] } },
        series: [
          {},
          { stroke: style.getPropertyValue("--accent"), width: 2, paths: uPlot.paths.stepped({ align: -1 }), points: { show: false } },
          {
            scale: "volume",
            stroke: style.getPropertyValue("--muted"),
            fill: style.getPropertyValue("--muted"),
            paths: uPlot.paths.bars({ size: [0.7] }),
            points: { show: false },
          },
        ],
        axes: [axis, { ...axis, size: 80, values: numbers }, { ...axis, side: 1, size: 70, scale: "volume", grid: { show: false }, values: numbers }],
      },
      data,
      place,
    );
  }

  function redraw() {
    plot?.destroy();
    plot = null;
    drawn = null;
    draw();
  }
  draw();
  document.addEventListener("refreshed", draw);
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
