// SPDX-License-Identifier: MIT
// What changed since the result that this one was compared with.

import type { Comparison } from "./data";
import { h } from "./dom";

function tableOf(comparison: Comparison): HTMLElement[] {
  if (comparison.lines.length === 0) return [];
  const headers = comparison.headers.map((text) => h("th", { scope: "col" }, text));
  const lines = comparison.lines.map(([figure, ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, figure ?? ""), ...cells.map((text) => h("td", {}, text))),
  );
  const table = h(
    "table",
    {},
    h("caption", {}, "Figures that changed"),
    h("thead", {}, h("tr", {}, ...headers)),
    h("tbody", {}, ...lines),
  );
  const attributes = { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Changes" };
  return [h("div", attributes, table), h("p", { class: "note" }, comparison.note)];
}

/** Rows that only one of the two results has, folded: a run of fewer suites has many. */
function unmatchedOf({ unmatched, unmatched_rows }: Comparison): HTMLElement[] {
  if (unmatched === "") return [];
  const items = unmatched_rows.map((row) => h("li", {}, row));
  return [h("details", { class: "unmatched" }, h("summary", {}, unmatched), h("ul", {}, ...items))];
}

export function changesOf(comparison: Comparison): HTMLElement {
  const warning = (words: string) => h("p", { class: "warning" }, words);
  return h(
    "section",
    { id: "changes", "aria-labelledby": "changes-title" },
    h("h2", { id: "changes-title" }, "Compared with the earlier result"),
    ...comparison.differences.map(warning),
    ...tableOf(comparison),
    ...comparison.suites.map((words) => h("p", {}, words)),
    h("p", {}, comparison.sum),
    ...unmatchedOf(comparison),
    ...comparison.not_judged.map(warning),
  );
}
