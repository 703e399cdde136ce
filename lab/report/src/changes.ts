// SPDX-License-Identifier: MIT
// What changed since the result that this one was compared with.

import type { ComparedFigure, Comparison } from "./data";
import { h } from "./dom";
import { counted, digits } from "./words";

function line(f: ComparedFigure): HTMLElement {
  const cells = [
    f.phase,
    f.rounds,
    f.clock === "cpu_ns" ? "CPU" : "wall",
    digits(f.old_ns),
    digits(f.new_ns),
    `${f.ratio.toFixed(2)} (${f.low.toFixed(2)} to ${f.high.toFixed(2)})`,
    f.change,
  ];
  return h(
    "tr",
    { class: f.change },
    h("th", { scope: "row" }, `${f.suite} ${f.case}, ${f.row}`),
    ...cells.map((text) => h("td", {}, text)),
  );
}

const percent = (ratio: number) => `${Math.ceil((ratio - 1) * 100)} %`;

const headers = [
  "row",
  "phase",
  "rounds",
  "clock",
  "old ns",
  "new ns",
  "new ÷ old (99 %)",
  "change",
];

const mostNamed = 10; // of the judged rows of which nothing is known

/** Rows that only one of the two results has, folded: a run of fewer suites has many. */
function unmatchedOf(rows: string[]): HTMLElement[] {
  if (rows.length === 0) return [];
  const said = `${counted(rows.length, "row")} ${rows.length === 1 ? "is" : "are"} in one of the results only`;
  const items = rows.map((row) => h("li", {}, row));
  return [h("details", { class: "unmatched" }, h("summary", {}, said), h("ul", {}, ...items))];
}

export function changesOf(comparison: Comparison): HTMLElement {
  const called = comparison.figures;
  const said = `${comparison.told} figures compared, ${called.length} changed outside noise; ${comparison.unsure} can’t be told.`;
  const section = h(
    "section",
    { id: "changes", "aria-labelledby": "changes-title" },
    h("h2", { id: "changes-title" }, "Compared with the earlier result"),
    h("p", {}, said),
  );
  const named = comparison.not_judged.slice(0, mostNamed);
  const more = comparison.not_judged.length - named.length;
  if (more > 0) named.push(`${counted(more, "more row")} can’t be judged.`);
  for (const words of [...comparison.differences, ...named])
    section.append(h("p", { class: "warning" }, words));
  section.append(...unmatchedOf(comparison.unmatched));
  for (const s of comparison.suites)
    if (s.visible > 0)
      section.append(
        h(
          "p",
          {},
          `${s.suite}: in CPU time, a change of ${percent(s.visible)} would have been seen in most rows, one of ${percent(s.visible_in_all)} in every row.`,
        ),
      );
  if (called.length === 0) return section;
  const table = h(
    "table",
    {},
    h("caption", {}, "ns for each operation; what the controls of a case share is taken off."),
    h("thead", {}, h("tr", {}, ...headers.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...called.map(line)),
  );
  const attributes = { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Changes" };
  section.append(h("div", attributes, table));
  return section;
}
