// SPDX-License-Identifier: MIT
// Every row of a case, with all of its figures.
import { h } from "./dom";
import {
  type Case,
  type Figure,
  hasFigures,
  median,
  peakMebibytes,
  perOperation,
  type Row,
  type Suite,
  sideOf,
  titleOf,
} from "./result";
import { count, digits, percent } from "./words";

interface Column {
  header: string;
  cell: (row: Row) => string;
  value?: (row: Row) => number | undefined; // competes for the column's best: the lowest
}

function findFigure(row: Row, like: Figure): Figure | undefined {
  if (!hasFigures(row)) return undefined;
  return row.figures.find((f) => f.phase === like.phase && f.rounds === like.rounds);
}

function figureColumn(like: Figure): Column {
  const value = (row: Row) => {
    const figure = findFigure(row, like);
    return figure && perOperation(figure);
  };
  return {
    header: `${like.phase}, ${like.rounds}`,
    cell: (row) => {
      const figure = findFigure(row, like);
      if (!figure) return "–";
      return `${digits(perOperation(figure))} ±${percent(figure.cpu_ns.spread)}`;
    },
    value,
  };
}

function columnsOf(rows: Row[]): Column[] {
  const widest = rows.reduce((a, b) => (b.figures.length > a.figures.length ? b : a));
  return [
    ...widest.figures.map(figureColumn),
    {
      header: "peak MiB",
      cell: (row) => (hasFigures(row) ? digits(peakMebibytes(row)) : "–"),
      value: (row) => (hasFigures(row) ? peakMebibytes(row) : undefined),
    },
    { header: "page faults", cell: (row) => count(median(row.samples.map((s) => s.minor_faults))) },
    {
      header: "heap calls",
      cell: (row) => (row.counted ? count(row.counted.heap.allocations) : "–"),
    },
    { header: "processes", cell: (row) => `${row.samples.length} of ${row.repetitions}` },
    {
      header: "verdict",
      cell: (row) => [row.verdict, row.problem, row.remark].filter((w) => w !== "").join(": "),
    },
  ];
}

function bestOf(column: Column, rows: Row[]): number {
  const values = rows.filter((row) => row.competes).map((row) => column.value?.(row));
  return Math.min(...values.filter((v) => v !== undefined));
}

export function tableOf(suite: Suite, of: Case, rows: Row[]): HTMLElement {
  const columns = columnsOf(rows);
  const best = columns.map((column) => bestOf(column, rows));
  const head = h("tr", {}, h("th", { scope: "col" }, "subject"));
  for (const column of columns) head.append(h("th", { scope: "col" }, column.header));
  const body = h("tbody");
  for (const row of rows) {
    const title = titleOf(row);
    const line = h("tr", { "data-row": `${suite.name}/${of.name}/${title}`, class: sideOf(row) });
    line.append(h("th", { scope: "row" }, title));
    columns.forEach((column, i) => {
      const wins = row.competes && column.value !== undefined && column.value(row) === best[i];
      const text = column.cell(row);
      line.append(h("td", {}, wins ? h("strong", {}, `${text} *`) : text));
    });
    body.append(line);
  }
  const name = `${suite.name}: ${of.title}`;
  const table = h(
    "table",
    {},
    h("caption", {}, `${name}. CPU ns for each operation, median ± spread; * best of its column.`),
    h("thead", {}, head),
    body,
  );
  const scrolled = h("div", { class: "scrolled", tabindex: "0", role: "region" }, table);
  scrolled.setAttribute("aria-label", `Table of ${name}`);
  return h("details", { open: "" }, h("summary", {}, `Table: ${rows.length} rows`), scrolled);
}
