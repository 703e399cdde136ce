// SPDX-License-Identifier: MIT
// Cases of one family, which differ in their number of threads or in the size of their objects, as
// curves.
import * as Plot from "@observablehq/plot";
import { type Case, mainOf, type Suite } from "./data";
import { h, redrawn } from "./dom";
import { endsOf, type Point, shareOfLeaders, titleMargin, titlesOf } from "./labels";
import { counted, digits, exact } from "./words";

interface Curves {
  family: string;
  label: string;
  points: Point[];
}

function pointsOf(suite: Suite, cases: Case[], x: (c: Case) => number): Point[] {
  return cases.flatMap((c) =>
    suite.rows.flatMap((row) => {
      const figure = row.case === c.name ? mainOf(suite, row) : undefined;
      if (!figure) return [];
      return [{ title: row.title, side: row.side, x: x(c), y: figure.median }];
    }),
  );
}

function several(values: number[]): boolean {
  return new Set(values.filter((v) => v > 0)).size > 1;
}

function curvesOf(suite: Suite): Curves[] {
  const families = new Map<string, Case[]>();
  const measured = suite.cases.filter((c) => suite.rows.some((row) => row.case === c.name));
  for (const c of measured) families.set(c.family, [...(families.get(c.family) ?? []), c]);
  return [...families].flatMap(([family, cases]) => {
    const found: Curves[] = [];
    if (several(cases.map((c) => c.threads)))
      found.push({ family, label: "threads", points: pointsOf(suite, cases, (c) => c.threads) });
    const sized = cases.filter((c) => c.object_bytes > 0 && c.threads === cases[0]?.threads);
    if (several(sized.map((c) => c.object_bytes)))
      found.push({
        family,
        label: "bytes of an object",
        points: pointsOf(suite, sized, (c) => c.object_bytes),
      });
    return found;
  });
}

const marginLeft = 56;

function draw(curves: Curves, width: number): Node {
  const at = [...new Set(curves.points.map((p) => p.x))].sort((a, b) => a - b);
  const ends = endsOf(curves.points);
  const height = Math.max(240, ends.length * 15 + 60);
  const marginRight = titleMargin(
    ends.map((p) => p.title),
    width,
  );
  const [least, most] = [at[0] ?? 1, at.at(-1) ?? 1];
  const edge = most * (most / least) ** shareOfLeaders(width - marginLeft - marginRight);
  const chart = Plot.plot({
    width,
    height,
    marginLeft,
    marginRight,
    style: { fontSize: "12px" },
    x: { type: "log", label: curves.label, ticks: at, tickFormat: String, labelArrow: "none" },
    y: {
      type: "log",
      label: "CPU ns for each operation",
      grid: true,
      ticks: 5,
      tickFormat: digits,
    },
    marks: [
      Plot.line(curves.points, {
        x: "x",
        y: "y",
        z: "title",
        stroke: (p: Point) => `var(--${p.side}-line)`,
        strokeWidth: 1.8,
      }),
      Plot.dot(curves.points, {
        x: "x",
        y: "y",
        r: 2.5,
        fill: (p: Point) => `var(--${p.side}-line)`,
        title: (p: Point) => `${p.title}: ${exact(p.y)} ns`,
      }),
      ...titlesOf(curves.points, edge, { height, log: true }, marginRight),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute(
    "aria-label",
    `${curves.family} over ${curves.label}: a curve for each of ${counted(ends.length, "row")}. The tables have all figures.`,
  );
  return chart;
}

export function curvesIn(suite: Suite): HTMLElement[] {
  return curvesOf(suite).map((curves) =>
    h(
      "figure",
      { class: "chart" },
      h("figcaption", {}, `${curves.family}, over ${curves.label}`),
      redrawn("drawing", (width) => [draw(curves, width)]),
    ),
  );
}
