// SPDX-License-Identifier: MIT
// What a reader can choose: which rows, divided by which, on which scale; and the figures as files.
import { csvOf } from "./csv";
import { type Report, textOf } from "./data";
import { download, h } from "./dom";
import { changeView } from "./view";

/** The names of the rows that bars compare, those that most tables have first. */
function titlesOf(report: Report): string[] {
  const times = new Map<string, number>();
  const tables = report.suites.flatMap((suite) => suite.tables);
  for (const table of tables.filter((t) => t.columns.some((column) => column.best)))
    for (const line of table.lines) {
      const title = textOf(line.cells[0] ?? "");
      times.set(title, (times.get(title) ?? 0) + 1);
    }
  return [...times].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([title]) => title);
}

function filterField(): HTMLElement {
  const field = h("input", { type: "search", id: "filter", placeholder: "mimalloc" });
  field.addEventListener("input", () => changeView({ filter: field.value.trim().toLowerCase() }));
  return h("label", {}, "Rows with ", field);
}

function baselineField(report: Report): HTMLElement {
  const options = titlesOf(report).map((title) => h("option", { value: title }, title));
  const field = h("select", { id: "baseline" }, h("option", { value: "" }, "none"), ...options);
  field.addEventListener("change", () => changeView({ baseline: field.value }));
  return h("label", {}, "Baseline ", field);
}

function logField(): HTMLElement {
  const field = h("input", { type: "checkbox", id: "log" });
  field.addEventListener("change", () => changeView({ log: field.checked }));
  return h("label", {}, field, " log scale");
}

function button(words: string, action: () => void): HTMLElement {
  const made = h("button", { type: "button" }, words);
  made.addEventListener("click", action);
  return made;
}

export function controlsOf(report: Report): HTMLElement {
  const form = h(
    "form",
    { class: "controls", "aria-label": "What is shown" },
    filterField(),
    baselineField(report),
    logField(),
    button("CSV of all figures", () => download("toft.csv", "text/csv", csvOf(report))),
  );
  if (report.result)
    form.append(
      button("Result file", () =>
        download("toft.json", "application/json", JSON.stringify(report.result, null, 1)),
      ),
    );
  form.addEventListener("submit", (event) => event.preventDefault());
  return form;
}
