// SPDX-License-Identifier: MIT
// Every row of a case with all of its figures, folded.
import { badgesOf, whyOf } from "./badge";
import { anchorOf, type Case, type Figure, figuresOf, type Row, type Suite } from "./data";
import { h } from "./dom";
import { sortable } from "./sort";
import { whenViewChanges } from "./view";
import { count, counted, digits, exact, percent, roundsInWords } from "./words";

function nameOf(figure: Figure): string {
  return `${figure.phase}, ${roundsInWords[figure.rounds]}`;
}

/** The figures of the row that has most; the others may have failed early. */
function headersOf(suite: Suite, rows: Row[]): string[] {
  const all = rows.map((row) => figuresOf(suite, row).map(nameOf));
  return all.reduce((a, b) => (b.length > a.length ? b : a), []);
}

function figureCell(figure: Figure | undefined, row: Row): HTMLElement {
  if (!figure) return h("td", { "data-sort": "" }, "-");
  const wall = figure.wall === null ? "" : `; wall ${digits(figure.wall)}`;
  const range = `${digits(figure.lowest)} to ${digits(figure.highest)}${wall}`;
  const cell = h(
    "td",
    { "data-sort": String(figure.median) },
    `${digits(figure.median)} ±${percent(figure.spread)}`,
    h("span", { class: "why" }, range),
  );
  cell.title = `${row.title}; ${nameOf(figure)}: ${exact(figure.median)} ns CPU in ${counted(row.processes, "process", "processes")}`;
  if (figure.values.length > 0) {
    const most = Math.max(...figure.values);
    const dots = figure.values.map((value) => {
      const dot = h("span", { class: "dot", title: `${exact(value)} ns` });
      dot.style.left = `${((value / most) * 96).toFixed(1)}%`;
      return dot;
    });
    cell.append(h("span", { class: "dots" }, ...dots));
  }
  return cell;
}

function plainCell(value: number | undefined, text: (value: number) => string): HTMLElement {
  if (value === undefined) return h("td", { "data-sort": "" }, "-");
  return h("td", { "data-sort": String(value), title: exact(value) }, text(value));
}

function lineOf(suite: Suite, row: Row, headers: string[]): HTMLElement {
  const figures = figuresOf(suite, row);
  const badges = badgesOf([row]);
  const name = h("th", { scope: "row" }, row.title, ...badges);
  const words = badges.length > 0 ? whyOf(row) : row.remark;
  if (words) name.append(h("span", { class: "why" }, words));
  const key = `${suite.name}/${row.case}/${row.title}`;
  return h(
    "tr",
    { class: row.side, "data-row": key, "data-title": row.title },
    name,
    ...headers.map((header) =>
      figureCell(
        figures.find((f) => nameOf(f) === header),
        row,
      ),
    ),
    plainCell(figures.length > 0 ? row.peak_mebibytes : undefined, digits),
    plainCell(row.page_faults ?? undefined, count),
    plainCell(row.heap_calls, count),
    h("td", { "data-sort": String(row.processes) }, `${row.processes} of ${row.repetitions}`),
  );
}

const others = ["peak MiB", "page faults", "heap allocations", "processes"];

export function detailsOf(suite: Suite, of: Case): HTMLElement {
  const rows = suite.rows.filter((row) => row.case === of.name);
  const headers = headersOf(suite, rows);
  const lines = rows.map((row) => lineOf(suite, row, headers));
  const name = suite.cases.length === 1 ? of.title : `${suite.name} ${of.name}: ${of.title}`;
  const heads = ["name", ...headers, ...others].map((text) => h("th", { scope: "col" }, text));
  const table = h(
    "table",
    {},
    h(
      "caption",
      {},
      `${name}. CPU ns for each operation: median of the processes ± spread; below it the least and the most, and the wall clock’s median.`,
    ),
    h("thead", {}, h("tr", {}, ...heads)),
    h("tbody", {}, ...lines),
  );
  sortable(table);
  whenViewChanges((view) => {
    for (const line of lines)
      line.hidden = !(line.dataset.title ?? "").toLowerCase().includes(view.filter);
  });
  const attributes = { class: "scrolled", tabindex: "0", role: "region" };
  const scrolled = h("div", { ...attributes, "aria-label": `All figures of ${name}` }, table);
  return h(
    "details",
    { class: "case", id: anchorOf(suite, of.name) },
    h("summary", {}, h("h3", {}, name), ` every figure of ${counted(rows.length, "row")}`),
    scrolled,
  );
}
