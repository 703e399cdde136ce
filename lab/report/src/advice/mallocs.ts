// SPDX-License-Identifier: MIT
// What linking another malloc alone gains.
import { h } from "../dom";
import type { AdvicePage } from "./data";
import { change, changeOfPeak, wayTo } from "./words";

export function mallocsOf(page: AdvicePage): HTMLElement[] {
  if (page.sampled) return [];
  if (page.mallocs.length === 0)
    return page.replay_left_out === ""
      ? []
      : [
          h(
            "p",
            {},
            `What linking another malloc alone gains isn't known: ${page.replay_left_out}.`,
          ),
        ];
  const head = ["linked alone, or set", "CPU time", "peak memory"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const rows = page.mallocs.map((malloc) =>
    h(
      "tr",
      { "data-malloc": malloc.name },
      h(
        "th",
        { scope: "row" },
        malloc.name,
        ...(malloc.setting === "" ? [] : [h("span", { class: "way" }, wayTo(malloc))]),
      ),
      h("td", {}, change(malloc.cpu_percent)),
      h("td", {}, changeOfPeak(malloc.peak_percent)),
    ),
  );
  const how = page.mallocs.every((malloc) => malloc.measured)
    ? "The program was run under each malloc."
    : "The recording was replayed under each malloc.";
  const left_out =
    page.replay_left_out === "" ? "" : ` No change was replayed: ${page.replay_left_out}.`;
  return [
    h("p", {}, how + left_out),
    h(
      "div",
      { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Other mallocs" },
      h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)),
    ),
  ];
}
