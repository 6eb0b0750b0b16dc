// Numbers under the pointer. All of them stand in the tables too; without this script the page is whole.
"use strict";
(() => {
  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";

  // An axis turns pixels back into numbers: scale, ends in pixels, ends in numbers or their logarithms.
  const axis = (words) => {
    const [scale, ...ends] = words.split(" ");
    const [first, last, from, to] = ends.map(Number);
    return (pixel) => {
      const x = from + ((pixel - first) / (last - first)) * (to - from);
      return scale === "log" ? 10 ** x : x;
    };
  };
  const text = (x) => {
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) return x.toExponential(2);
    return x.toLocaleString("en", { maximumSignificantDigits: size >= 1000 ? 6 : 4 });
  };
  const places = (shape) =>
    (shape.getAttribute("points") || "").split(" ").filter(Boolean).map((pair) => pair.split(",").map(Number));
  const nearest = (points, x) =>
    points.reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best), points[0]);

  // What a series says near a place: its name, and where it is.
  const reading = (series, [x, y], toY) => {
    const label = series.dataset.label;
    const line = series.querySelector("polyline");
    const areas = [...series.querySelectorAll("polygon")].map(places);
    const dots = [...series.querySelectorAll("circle")].map((dot) => [+dot.getAttribute("cx"), +dot.getAttribute("cy")]);
    if (areas.length === 1 && areas[0].length > 4) {
      const half = areas[0].length / 2;
      const top = nearest(areas[0].slice(0, half), x);
      const low = areas[0][areas[0].length - 1 - areas[0].indexOf(top)];
      return { at: top[0], label, value: toY(top[1]) - toY(low[1]) };
    }
    if (areas.length) {
      const bar = areas.find((bar) => bar[0][0] <= x && x <= bar[1][0]);
      return bar && { at: (bar[0][0] + bar[1][0]) / 2, label, value: toY(bar[2][1]) };
    }
    if (dots.length > 40) {
      const gap = (dot) => Math.hypot(dot[0] - x, dot[1] - y);
      const dot = dots.reduce((best, dot) => (gap(dot) < gap(best) ? dot : best));
      return gap(dot) < 12 && { at: dot[0], label, value: toY(dot[1]) };
    }
    const points = dots.length ? dots : line ? places(line) : [];
    if (!points.length) return false;
    if (points.length === 2 && points[0][1] !== points[1][1]) return false; // A diagonal says nothing.
    const point = nearest(points, x);
    return { at: point[0], label, value: toY(point[1]), fixed: points.length === 2 };
  };

  for (const svg of document.querySelectorAll("svg[data-x]")) {
    const name = svg.querySelector("title");
    if (name) {
      // Browsers would show the title above the numbers.
      svg.setAttribute("aria-label", name.textContent);
      name.remove();
    }
    const [toX, toY] = [axis(svg.dataset.x), axis(svg.dataset.y)];
    const all = [...svg.querySelectorAll("g[data-label]")].filter((series) => series.dataset.label);
    const hair = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "line"));
    const [, last, first] = svg.dataset.y.split(" ").slice(0, 3).map(Number).map((x, k) => (k ? x : 0));
    for (const [key, value] of [["y1", first], ["y2", last], ["stroke", "currentColor"], ["stroke-width", 0.75], ["opacity", 0]])
      hair.setAttribute(key, value);
    svg.addEventListener("pointermove", (event) => {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const found = all.map((series) => reading(series, [place.x, place.y], toY)).filter(Boolean);
      const moving = found.filter((one) => !one.fixed);
      if (!moving.length) return leave();
      const at = nearest(moving.map((one) => [one.at]), place.x)[0];
      hair.setAttribute("x1", at);
      hair.setAttribute("x2", at);
      hair.setAttribute("opacity", 0.5);
      const lines = found.map((one) => `${text(one.value)}  ${one.label}`);
      tip.textContent = [text(toX(at)), ...lines].join("\n");
      const { width, height } = tip.getBoundingClientRect();
      tip.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 8)}px`;
      tip.style.top = `${Math.max(8, event.clientY - height - 12)}px`;
    });
    const leave = () => {
      hair.setAttribute("opacity", 0);
      tip.textContent = "";
    };
    svg.addEventListener("pointerleave", leave);
  }
})();
