// SPDX-License-Identifier: MIT
// Resident memory over time, of the rows whose processes were looked at while they ran: a curve for
// each, and a line for what the objects that live at the peak need.
import * as Plot from "@observablehq/plot";
import type { Case, Row, Suite } from "./data";
import { h, redrawn } from "./dom";
import { type Point, shareOfLeaders, titleMargin, titlesOf } from "./labels";
import { counted, digits, exact } from "./words";

function pointsOf(rows: Row[]): Point[] {
  return rows.flatMap((row) =>
    (row.memory?.ms ?? []).map((ms, i) => ({
      title: row.title,
      side: row.side,
      x: ms,
      y: row.memory?.mebibytes[i] ?? 0,
    })),
  );
}

/** What tells the rows apart: of one program under several mallocs, "program (mimalloc)", the malloc. */
function namesOf(rows: Row[]): Map<string, string> {
  const parts = rows.map((row) => /^(.*) \((.+)\)$/.exec(row.title));
  const one_program = parts.every((part) => part && part[1] === parts[0]?.[1]);
  return new Map(rows.map((row, i) => [row.title, (one_program && parts[i]?.[2]) || row.title]));
}

const marginLeft = 44;

function draw(of: Case, rows: Row[], width: number): Node {
  const points = pointsOf(rows);
  const live = Math.max(0, ...rows.map((row) => row.live_mebibytes ?? 0));
  const names = namesOf(rows);
  const height = Math.max(200, rows.length * 15 + 60);
  const marginRight = titleMargin([...names.values()], width);
  const last = Math.max(...points.map((p) => p.x));
  const edge = last * (1 + shareOfLeaders(width - marginLeft - marginRight));
  const chart = Plot.plot({
    width,
    height,
    marginLeft,
    marginRight,
    style: { fontSize: "12px" },
    marginBottom: 40,
    x: {
      label: "ms since the program began",
      labelAnchor: "center",
      ticks: 4,
      labelArrow: "none",
    },
    y: { label: "resident MiB", grid: true, ticks: 4, zero: true, labelArrow: "none" },
    marks: [
      ...(live > 0
        ? [
            Plot.ruleY([live], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
            Plot.text([`live objects: ${digits(live)}`], {
              y: live,
              frameAnchor: "right",
              textAnchor: "end",
              dy: -7,
              fill: "var(--ink)",
            }),
          ]
        : []),
      Plot.line(points, {
        x: "x",
        y: "y",
        z: "title",
        stroke: (p: Point) => `var(--${p.side}-line)`,
        strokeWidth: 1.6,
        title: (p: Point) => `${p.title}: ${exact(p.y)} MiB at ${exact(p.x)} ms`,
      }),
      ...titlesOf(
        points,
        edge,
        { height, log: false, most: live },
        marginRight,
        (title) => names.get(title) ?? title,
      ),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute(
    "aria-label",
    `${of.title}: resident memory over time, a curve for each of ${counted(rows.length, "row")}`,
  );
  return chart;
}

export function memoryIn(suite: Suite): HTMLElement[] {
  return suite.cases.flatMap((of) => {
    const rows = suite.rows.filter((row) => row.case === of.name && row.memory);
    if (rows.length === 0) return [];
    return [
      h(
        "figure",
        { class: "chart memory" },
        h("figcaption", {}, `${of.title}: resident memory over time, of one process of each row`),
        redrawn("drawing", (width) => [draw(of, rows, width)]),
      ),
    ];
  });
}
