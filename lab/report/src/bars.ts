// SPDX-License-Identifier: MIT
// The rows of a case as bars: the first round beside the later ones, and memory beside time. All
// three have the same rows in the same order.
import * as Plot from "@observablehq/plot";
import { h, redrawn } from "./dom";
import {
  type Case,
  type Figure,
  hasFigures,
  isNoisy,
  mainOf,
  peakMebibytes,
  perOperation,
  type Rounds,
  type Row,
  sideOf,
  titleOf,
  wholeOf,
} from "./result";
import { digits, roundsInWords } from "./words";

interface Bar {
  title: string;
  side: string;
  value: number;
  lowest: number;
  highest: number;
  values: number[];
  label: string;
}

interface Panel {
  heading: string;
  unit: string;
  bars: Bar[];
}

function labelOf(row: Row, figure: Figure): string {
  const spread = isNoisy(row, figure) ? ` ±${(figure.cpu_ns.spread * 100).toFixed(0)} %` : "";
  return digits(perOperation(figure)) + spread + (row.verdict === "failed" ? " (failed)" : "");
}

function timeBar(row: Row, rounds: Rounds): Bar[] {
  const figure = wholeOf(row, rounds);
  if (!figure) return [];
  const scaled = (value: number) => perOperation(figure, value);
  return [
    {
      title: titleOf(row),
      side: sideOf(row),
      value: scaled(figure.cpu_ns.median),
      lowest: scaled(figure.cpu_ns.lowest),
      highest: scaled(figure.cpu_ns.highest),
      values: figure.cpu_ns.values.map(scaled),
      label: labelOf(row, figure),
    },
  ];
}

function memoryBar(row: Row): Bar[] {
  if (!hasFigures(row)) return [];
  const value = peakMebibytes(row);
  return [
    {
      title: titleOf(row),
      side: sideOf(row),
      value,
      lowest: value,
      highest: value,
      values: [],
      label: digits(value),
    },
  ];
}

function panelsOf(rows: Row[]): Panel[] {
  const times: Panel[] = (["first", "later"] as const).map((rounds) => ({
    heading: roundsInWords[rounds],
    unit: "CPU ns for each operation",
    bars: rows.flatMap((row) => timeBar(row, rounds)),
  }));
  const memory: Panel = {
    heading: "Peak memory of the process",
    unit: "MiB",
    bars: rows.flatMap(memoryBar),
  };
  return [...times, memory].filter((panel) => panel.bars.length > 0);
}

/** Bars beyond this end there, with an arrow: one row of a hundred times would flatten the rest. */
function limitOf(bars: Bar[]): number {
  const sorted = bars.map((b) => b.value).sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  const most = sorted.at(-1) ?? 0;
  return most > 6 * middle ? 4 * middle : most;
}

function describe(panel: Panel): string {
  const best = panel.bars.reduce((a, b) => (b.value < a.value ? b : a));
  return `${panel.heading}, ${panel.unit}: bars for ${panel.bars.length} rows; the least is ${
    best.title
  } with ${best.label}. The table below has all figures.`;
}

interface Layout {
  width: number;
  titles: number; // pixels for the rows' titles; 0: they stand beside another panel
}

/** Of every row, on the left, in so many pixels; none in none. */
function titlesOf(pixels: number): Plot.Markish[] {
  if (pixels === 0) return [];
  const lineWidth = (pixels - 8) / (font_pixels * 1.1); // letters are wider than it thinks
  return [Plot.axisY({ tickSize: 0, lineWidth, textOverflow: "ellipsis-end" })];
}

function draw(panel: Panel, order: string[], { width, titles }: Layout): Node {
  const limit = limitOf(panel.bars);
  const cut = (value: number) => Math.min(value, limit);
  const chart = Plot.plot({
    width,
    marginLeft: titles + 4,
    marginRight: 84,
    marginTop: 6,
    marginBottom: 36,
    height: order.length * 21 + 46,
    style: { fontSize: `${font_pixels}px` },
    x: { label: panel.unit, domain: [0, limit], ticks: 3, grid: true, labelArrow: "none" },
    y: { label: null, domain: order, axis: null },
    marks: [
      ...titlesOf(titles),
      Plot.barX(panel.bars, {
        x: (b: Bar) => cut(b.value),
        y: "title",
        fill: (b: Bar) => `var(--${b.side})`,
        insetTop: 2,
        insetBottom: 2,
      }),
      Plot.ruleY(panel.bars, {
        x1: (b: Bar) => cut(b.lowest),
        x2: (b: Bar) => cut(b.highest),
        y: "title",
        stroke: "var(--ink)",
        strokeWidth: 1.5,
      }),
      Plot.dot(
        panel.bars.flatMap((b) => b.values.map((value) => ({ title: b.title, value: cut(value) }))),
        { x: "value", y: "title", r: 1.8, fill: "var(--ink)" },
      ),
      Plot.text(panel.bars, {
        x: (b: Bar) => cut(Math.max(b.highest, b.value)),
        y: "title",
        text: (b: Bar) => (b.value > limit ? `» ${b.label}` : b.label),
        textAnchor: "start",
        dx: 6,
        fill: "var(--ink)",
      }),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", describe(panel));
  return h("figure", {}, h("figcaption", {}, panel.heading), chart);
}

const font_pixels = 12;
const gap = 16; // as in style.css
const least_width_of_panel = 230;

/** Side by side where there is room, the first one's titles then serving all; else one below another. */
function layoutsOf(count: number, order: string[], width: number): Layout[] {
  const longest = Math.max(...order.map((title) => title.length));
  const titles = Math.min(longest * 7.2 + 16, width * 0.5);
  const share = Math.floor((width - titles - gap * (count - 1)) / count);
  if (share < least_width_of_panel) return Array(count).fill({ width, titles });
  return Array.from({ length: count }, (_, i) =>
    i === 0 ? { width: share + titles, titles } : { width: share, titles: 0 },
  );
}

export function barsOf(of: Case, rows: Row[]): HTMLElement {
  const sorted = [...rows].filter(hasFigures).sort((a, b) => {
    const first = mainOf(a);
    const second = mainOf(b);
    return first && second ? perOperation(first) - perOperation(second) : 0;
  });
  const panels = panelsOf(sorted);
  const order = sorted.map(titleOf);
  if (panels.length === 0) return h("p", {}, `No figures of ${of.title}.`);
  return redrawn("panels", (width) => {
    const layouts = layoutsOf(panels.length, order, width);
    return panels.map((panel, i) => draw(panel, order, layouts[i] ?? { width, titles: 0 }));
  });
}
