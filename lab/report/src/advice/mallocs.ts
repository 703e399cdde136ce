// SPDX-License-Identifier: MIT
// What linking another malloc alone gains.
import { h } from "../dom";
import type { AdvicePage } from "./data";

function tableOf({ rows }: AdvicePage["mallocs"]): HTMLElement {
  const head = ["linked alone, or set", "CPU time", "peak memory"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const shown = rows.map(({ name, way, time, peak }) => {
    const set = way === "" ? [] : [h("span", { class: "way" }, way)];
    const figures = [time, peak].map((text) => h("td", {}, text));
    return h("tr", { "data-malloc": name }, h("th", { scope: "row" }, name, ...set), ...figures);
  });
  return h(
    "div",
    { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Other mallocs" },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...shown)),
  );
}

export function mallocsOf({ mallocs }: AdvicePage): HTMLElement[] {
  const said = [mallocs.best, mallocs.left_out].filter((text) => text !== "");
  return [
    ...said.map((text) => h("p", {}, text)),
    ...(mallocs.rows.length === 0 ? [] : [tableOf(mallocs)]),
  ];
}
