// SPDX-License-Identifier: MIT
// A suite: its verdict beside its name, its curves, its tables, and every figure of each case.
import { curvesIn } from "./curves";
import type { Suite } from "./data";
import { detailsOf } from "./details";
import { h } from "./dom";
import { memoryIn } from "./memory";
import { tableOf } from "./table";
import { count } from "./words";

function legend(suite: Suite): HTMLElement {
  const entry = (side: string, words: string) =>
    h("li", {}, h("span", { class: `swatch ${side}`, "aria-hidden": "true" }), words);
  const words = {
    toft: "Toft",
    other: "others",
    yardstick: "a yardstick, which leaves out work that the others do and isn’t compared",
  };
  const sides = (["toft", "other", "yardstick"] as const).filter((side) =>
    suite.rows.some((row) => row.side === side),
  );
  return h("ul", { class: "legend" }, ...sides.map((side) => entry(side, words[side])));
}

function charts(figures: HTMLElement[]): HTMLElement[] {
  return figures.length > 0 ? [h("div", { class: "charts" }, ...figures)] : [];
}

export function suiteOf(suite: Suite, open: boolean): HTMLElement {
  const section = h(
    "details",
    { class: "suite", id: suite.name, ...(open && { open: "" }) },
    h("summary", {}, h("h2", {}, suite.name), h("span", { class: "verdict" }, suite.conclusion)),
    // What is replayed or tried is named as it is: a file, or a command, of which there is one.
    h(
      "p",
      ["replay", "try"].includes(suite.name) ? {} : { class: "sentence" },
      suite.name === "try"
        ? suite.summary
        : `${suite.summary}; ${suite.size_unit}: ${count(suite.size)}.`,
    ),
    legend(suite),
    ...suite.tables.map((table) => tableOf(suite, table)),
    ...charts(curvesIn(suite)),
    ...charts(memoryIn(suite)),
  );
  if (suite.note) section.append(h("p", { class: "note" }, suite.note));
  if (suite.drift) section.append(h("p", { class: "warning" }, `Drift: ${suite.drift}`));
  section.append(...suite.cases.map((of) => detailsOf(suite, of)));
  return section;
}
