// SPDX-License-Identifier: MIT
// A click on a column's header sorts by it: the least first, then the largest first, then as it was.
import { h } from "./dom";

type Order = "none" | "ascending" | "descending";
const next: Record<Order, Order> = {
  none: "ascending",
  ascending: "descending",
  descending: "none",
};

/** Rows without a figure come last, whichever way the others go. */
function compare(a: string, b: string, order: Order): number {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  const numbers = !Number.isNaN(Number(a)) && !Number.isNaN(Number(b));
  const difference = numbers ? Number(a) - Number(b) : a.localeCompare(b);
  return order === "descending" ? -difference : difference;
}

function keyOf(row: HTMLTableRowElement, column: number): string {
  const cell = row.cells[column];
  return cell?.dataset.sort ?? cell?.textContent ?? "";
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
