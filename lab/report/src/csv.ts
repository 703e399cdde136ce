// SPDX-License-Identifier: MIT
// Every figure of every row, a line each, for a spreadsheet.
import { figuresOf, type Report } from "./data";

const columns = [
  "suite",
  "case",
  "row",
  "verdict",
  "phase",
  "rounds",
  "operations",
  "cpu_ns",
  "cpu_ns_lowest",
  "cpu_ns_highest",
  "spread",
  "wall_ns",
  "processes",
  "peak_mebibytes",
  "page_faults",
];

/**
 * Of a figure, the six digits that the page has: a quotient of them would look more exact. What a
 * spreadsheet would take for a formula gets an apostrophe in front.
 */
function quoted(value: string | number): string {
  if (typeof value === "number")
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(report: Report): string {
  const lines: (string | number)[][] = [columns];
  for (const suite of report.suites)
    for (const row of suite.rows)
      for (const f of figuresOf(suite, row))
        lines.push([
          suite.name,
          row.case,
          row.title,
          row.verdict,
          f.phase,
          f.rounds,
          f.operations,
          f.median,
          f.lowest,
          f.highest,
          f.spread,
          f.wall ?? "",
          row.processes,
          row.peak_mebibytes,
          row.page_faults ?? "",
        ]);
  return `${lines.map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
}
