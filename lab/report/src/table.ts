// SPDX-License-Identifier: MIT
// A table of the terminal: the same words and figures, with a bar below each figure that competes.
// Its columns sort, its rows can be filtered, and a baseline divides them.
import { badgesOf } from "./badge";
import {
  anchorOf,
  type Cell,
  type Column,
  exactOf,
  type Line,
  rowsOf,
  type ShownTable,
  type Side,
  type Suite,
  textOf,
} from "./data";
import { h, linkTo } from "./dom";
import { scaleOf } from "./scale";
import { sortable } from "./sort";
import { type View, whenViewChanges } from "./view";
import { digits, exact } from "./words";

interface ShownCell {
  element: HTMLTableCellElement;
  value: number | undefined;
  noisy: boolean; // so a ratio of it gets a tilde, as in the terminal's tables
}

interface ShownLine {
  element: HTMLTableRowElement;
  title: string;
  words: string; // that a filter may name: also those of the rows that the line is made of
  cells: ShownCell[];
}

function nameOf(column: Column): string {
  return [column.group, column.header].filter((text) => text !== "").join(", ");
}

function headOf(table: ShownTable): HTMLElement {
  const head = h("thead");
  if (table.columns.some((column) => column.group !== "")) {
    const groups = h("tr", { class: "groups" });
    for (let i = 0; i < table.columns.length; ) {
      const group = table.columns[i]?.group ?? "";
      const first = i;
      while (i < table.columns.length && table.columns[i]?.group === group) ++i;
      const attributes = { colspan: String(i - first), ...(group && { scope: "colgroup" }) };
      groups.append(h(group ? "th" : "td", attributes, group));
    }
    head.append(groups);
  }
  const headers = table.columns.map((column) => h("th", { scope: "col" }, column.header));
  head.append(h("tr", {}, ...headers));
  return head;
}

function cellOf(cell: Cell, column: Column, title: string): ShownCell {
  const value = exactOf(cell);
  const text = textOf(cell);
  const wins = typeof cell !== "string" && cell[2];
  const shown = wins ? h("strong", {}, `${text}*`) : h("span", {}, text);
  const element = h("td", {}, shown);
  if (typeof cell !== "string") element.dataset.sort = String(value ?? "");
  if (value !== undefined)
    element.title = `${title}; ${nameOf(column)}: ${exact(value)} ${column.exact_unit}`.trimEnd();
  return { element, value, noisy: typeof cell !== "string" && cell[3] === true };
}

function sideOf(suite: Suite, line: Line): Side {
  return rowsOf(suite, line)[0]?.side ?? "other";
}

function lineOf(suite: Suite, table: ShownTable, line: Line): ShownLine {
  const title = textOf(line.cells[0] ?? "");
  const element = h("tr", { class: sideOf(suite, line), "data-title": title });
  element.append(h("th", { scope: "row" }, title, ...badgesOf(rowsOf(suite, line))));
  const cells = line.cells.slice(1).map((cell, i) => {
    const column = table.columns[i + 1];
    return cellOf(cell, column ?? { header: "", group: "", best: false, exact_unit: "" }, title);
  });
  element.append(...cells.map((cell) => cell.element));
  const words = [title, ...rowsOf(suite, line).map((row) => row.title)].join("\n").toLowerCase();
  return { element, title, words, cells };
}

function drawBars(lines: ShownLine[], column: number, log: boolean): void {
  const values = lines.flatMap((line) => line.cells[column]?.value ?? []);
  const scale = scaleOf(values, log);
  for (const line of lines) {
    const cell = line.cells[column];
    if (cell?.value === undefined) continue;
    cell.element.querySelector(".bar")?.remove();
    const bar = h("span", { class: scale.isCut(cell.value) ? "bar cut" : "bar" });
    bar.style.width = `${(scale.length(cell.value) * 100).toFixed(1)}%`;
    cell.element.append(bar);
  }
}

function divide(lines: ShownLine[], column: number, by: ShownLine | undefined): void {
  const base = by?.cells[column];
  for (const line of lines) {
    const cell = line.cells[column];
    cell?.element.querySelector(".ratio")?.remove();
    if (!cell?.value || !base?.value) continue;
    const about = cell.noisy || base.noisy ? "~" : "";
    const ratio = h("span", { class: "ratio" }, ` ${about}×${digits(cell.value / base.value)}`);
    cell.element.firstElementChild?.after(ratio);
  }
}

function drawFigures(lines: ShownLine[], table: ShownTable, view: View): void {
  const by = lines.find((line) => line.title === view.baseline);
  table.columns.forEach((column, i) => {
    if (!column.best) return;
    drawBars(lines, i - 1, view.log);
    divide(lines, i - 1, by);
  });
}

/** Draws anew only what has changed: each letter in the filter is a change of the view. */
function showAsChosen(lines: ShownLine[], table: ShownTable): void {
  let drawn: View | undefined;
  whenViewChanges((view) => {
    if (view.log !== drawn?.log || view.baseline !== drawn.baseline)
      drawFigures(lines, table, view);
    drawn = { ...view };
    for (const line of lines) line.element.hidden = !line.words.includes(view.filter);
  });
}

/** How small its letters must be on paper, so that no column is cut. */
function printSize(table: ShownTable): string {
  const letters = table.columns.map((column, i) =>
    Math.max(
      column.header.length,
      ...table.lines.map((line) => textOf(line.cells[i] ?? "").length),
    ),
  );
  const em = letters.reduce((sum, n) => sum + n * 0.52 + 0.9, 0);
  const points = 520; // of A4, within its margins
  return `${Math.min(6.4, points / em).toFixed(2)}pt`;
}

export function tableOf(suite: Suite, table: ShownTable): HTMLElement {
  const lines = table.lines.map((line) => lineOf(suite, table, line));
  const body = h("tbody", {}, ...lines.map((line) => line.element));
  const heading = h("span", { class: "heading" }, table.heading);
  if (table.case) {
    const href = linkTo(anchorOf(suite, table.case));
    heading.append(" ", h("a", { href, "aria-label": `every figure of ${table.heading}` }, "link"));
  }
  const caption = h("caption", {}, heading);
  const made = h("table", { class: "shown" }, caption, headOf(table), body);
  made.style.setProperty("--print-size", printSize(table));
  sortable(made);
  showAsChosen(lines, table);
  const scrolled = h("div", { class: "scrolled", tabindex: "0", role: "region" }, made);
  scrolled.setAttribute("aria-label", table.heading);
  const box = h("div", { class: "shown-table" }, scrolled);
  if (table.note) box.append(h("p", { class: "note" }, table.note));
  return box;
}
