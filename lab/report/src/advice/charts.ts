// SPDX-License-Identifier: MIT
// Over time: the memory that lives, by the functions that make it, and below it the advised regions
// as bands.
import * as Plot from "@observablehq/plot";
import { h, redrawn } from "../dom";
import { counted } from "../words";
import type { AdvicePage, Region } from "./data";
import { bytes, ofWhich } from "./words";

interface Point {
  name: string;
  at: number;
  mebibytes: number;
}

const left_margin = 48;
const time_label = "seconds of the recorded run"; // which takes longer than the program by itself

// A part of the time has one height, and the last one an end.
function pointsOf(page: AdvicePage): Point[] {
  return page.curves.flatMap(({ name, bytes }) =>
    [...bytes, ...bytes.slice(-1)].map((value, i) => ({
      name,
      at: (i / bytes.length) * page.seconds,
      mebibytes: value / 1048576,
    })),
  );
}

function color(page: AdvicePage, name: string): string {
  return `var(--curve-${page.curves.findIndex((curve) => curve.name === name)})`;
}

function drawMemory(page: AdvicePage, points: Point[], width: number): Node {
  const chart = Plot.plot({
    width,
    height: 260,
    marginLeft: left_margin,
    marginBottom: 48,
    style: { fontSize: "12px" },
    x: { label: time_label, labelAnchor: "center", labelArrow: "none" },
    y: { label: "live MiB", grid: true, ticks: 4, zero: true, labelArrow: "none" },
    marks: [
      Plot.areaY(points, {
        x: "at",
        y: "mebibytes",
        z: "name",
        curve: "step-after",
        order: page.curves.map((curve) => curve.name),
        fill: (p: Point) => color(page, p.name),
        stroke: "var(--paper)",
        strokeWidth: 0.5,
        title: (p: Point) => p.name,
      }),
      Plot.ruleY([0], { stroke: "var(--ink)" }),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute(
    "aria-label",
    `Live memory over ${page.seconds.toFixed(2)} seconds, by ${page.curves.length} groups of sites`,
  );
  return chart;
}

function legendOf(page: AdvicePage): HTMLElement {
  const shown = page.curves.filter((curve) => curve.peak_bytes > 0);
  return h(
    "ul",
    { class: "legend" },
    ...shown.map(({ name, peak_bytes }) => {
      const swatch = h("span", { class: "swatch", style: `background: ${color(page, name)}` });
      return h("li", {}, swatch, `${name}: up to ${bytes(peak_bytes)}`);
    }),
  );
}

export function memoryOf(page: AdvicePage): HTMLElement {
  const points = pointsOf(page);
  return h(
    "figure",
    { class: "chart memory" },
    h(
      "figcaption",
      {},
      "Live memory over time, by the functions that make it, from the bottom up. Recording slows " +
        `the program: by itself it takes less time.${ofWhich(page)}`,
    ),
    redrawn("drawing", (width) => [drawMemory(page, points, width)]),
    legendOf(page),
  );
}

interface Band {
  row: string;
  from: number;
  to: number;
  title: string;
}

function drawBands(page: AdvicePage, bands: Band[], width: number): Node {
  const rows = [...new Set(bands.map((band) => band.row))];
  const least = page.seconds / 500; // or it couldn't be seen
  const chart = Plot.plot({
    width,
    height: rows.length * 26 + 50,
    marginLeft: left_margin,
    marginBottom: 48,
    style: { fontSize: "12px" },
    x: {
      label: time_label,
      labelAnchor: "center",
      labelArrow: "none",
      domain: [0, page.seconds],
    },
    y: { type: "band", label: "advice", domain: rows, padding: 0.25, labelArrow: "none" },
    marks: [
      Plot.barX(bands, {
        x1: "from",
        x2: (band: Band) => Math.max(band.to, band.from + least),
        y: "row",
        fill: "var(--toft-line)",
        title: "title",
      }),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", `When the objects of ${counted(rows.length, "region")} live`);
  return chart;
}

export function regionsOf(page: AdvicePage): HTMLElement[] {
  const shown = page.regions.filter((region) => region.bands.length > 0);
  if (shown.length === 0) return [];
  const lineOf = (region: Region) => page.lines[region.line];
  const bands = shown.flatMap((region) =>
    region.bands.map((band) => ({
      row: String(lineOf(region)?.number),
      from: band.begin,
      to: band.end,
      title: `${band.begin.toFixed(3)} to ${band.end.toFixed(3)} s`,
    })),
  );
  const names = shown.map((region) => h("li", {}, lineOf(region)?.headline ?? ""));
  return [
    h(
      "figure",
      { class: "chart regions" },
      h("figcaption", {}, `When the objects of each advised region live.${ofWhich(page)}`),
      redrawn("drawing", (width) => [drawBands(page, bands, width)]),
      h("ul", { class: "names" }, ...names),
    ),
  ];
}
