// SPDX-License-Identifier: MIT
// The verdict on a row, beside its name.
import type { Row } from "./data";
import { h } from "./dom";

function wordsOf(row: Row): string {
  return [row.problem, row.remark].filter((text) => text !== "").join("; ");
}

/** A row that an interrupt came before has failed as little as it has succeeded. */
function isUnmeasured(row: Row): boolean {
  return row.verdict === "failed" && row.processes === 0 && row.problem === "";
}

export function whyOf(row: Row): string {
  if (isUnmeasured(row)) return "the run was interrupted before";
  return wordsOf(row) || "its processes disagree";
}

/** Nothing for rows that are sound. Of several rows the gravest verdict, and of how many. */
export function badgesOf(rows: Row[]): HTMLElement[] {
  for (const verdict of ["failed", "elided", "noisy"] as const) {
    const of = rows.filter((row) => row.verdict === verdict);
    const [first] = of;
    if (!first) continue;
    const several = rows.length > 1 ? ` in ${of.length} of ${rows.length}` : "";
    const why = of.map((row) => `${row.case}: ${whyOf(row)}`);
    const said = of.every(isUnmeasured) ? "not measured" : verdict;
    return [h("span", { class: `badge ${verdict}`, title: why.join("\n") }, said + several)];
  }
  return [];
}
