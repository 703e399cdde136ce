// SPDX-License-Identifier: MIT
// A click on a column's header sorts by it: the least first, then the largest first, then as it was.
import { h } from "./dom";

type Order = "none" | "ascending" | "descending";
const next: Record<Order, Order> = {
  none: "ascending",
  ascending: "descending",
  descending: "none",
};

/** Figures come first, then words, and rows with neither last, whichever way the others go. */
function rankOf(key: string): number {
  if (key === "") return 2;
  return Number.isNaN(Number(key)) ? 1 : 0;
}

function compare(a: string, b: string, order: Order): number {
  const rank = rankOf(a);
  if (rank !== rankOf(b)) return rank - rankOf(b);
  const difference = rank === 0 ? Number(a) - Number(b) : a.localeCompare(b);
  return order === "descending" ? -difference : difference;
}

/** A text that is a number and its unit sorts by the number: "18 %", "1,024". */
function keyOf(row: HTMLTableRowElement, column: number): string {
  const cell = row.cells[column];
  if (cell?.dataset.sort !== undefined) return cell.dataset.sort;
  const text = cell?.textContent?.trim() ?? "";
  const number = /^(-?[\d,]*\.?\d+) ?%?$/.exec(text)?.[1];
  return text === "-" ? "" : (number?.replaceAll(",", "") ?? text);
}

export function sortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const headers = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
  const before = [...(body?.rows ?? [])];
  headers.forEach((header, column) => {
    const words = header.textContent || (column === 0 ? "name" : "");
    const button = h("button", { type: "button", title: "Sort" }, words);
    header.replaceChildren(button);
    button.addEventListener("click", () => {
      const order = next[(header.getAttribute("aria-sort") as Order | null) ?? "none"];
      for (const other of headers) other.removeAttribute("aria-sort");
      if (order !== "none") header.setAttribute("aria-sort", order);
      const rows = [...before];
      if (order !== "none") rows.sort((a, b) => compare(keyOf(a, column), keyOf(b, column), order));
      body?.append(...rows);
    });
  });
}
