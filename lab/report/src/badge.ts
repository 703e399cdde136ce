// SPDX-License-Identifier: MIT
// The verdict on a row, beside its name.
import type { Row } from "./data";
import { h } from "./dom";

function wordsOf(row: Row): string {
  return [row.problem, row.remark].filter((text) => text !== "").join("; ");
}

/** Nothing for rows that are sound. Of several rows the gravest verdict, and of how many. */
export function badgesOf(rows: Row[]): HTMLElement[] {
  for (const verdict of ["failed", "elided", "noisy"] as const) {
    const of = rows.filter((row) => row.verdict === verdict);
    const [first] = of;
    if (!first) continue;
    const several = rows.length > 1 ? ` in ${of.length} of ${rows.length}` : "";
    const why = of.map((row) => `${row.case}: ${wordsOf(row) || "its processes disagree"}`);
    return [h("span", { class: `badge ${verdict}`, title: why.join("\n") }, verdict + several)];
  }
  return [];
}
