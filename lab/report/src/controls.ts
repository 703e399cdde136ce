// SPDX-License-Identifier: MIT
// What a reader can choose: which rows, divided by which, on which scale; and the figures as files.
import { csvOf } from "./csv";
import { type Report, textOf } from "./data";
import { download, h } from "./dom";
import { changeView, whenViewChanges } from "./view";
import { counted } from "./words";

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

/** How many rows a filter leaves, also for who can't see them. */
function matchesField(): HTMLElement {
  const field = h("output", { for: "filter", role: "status" });
  const tell = (filter: string) => {
    const lines = [...document.querySelectorAll<HTMLElement>("table.shown tbody tr")];
    const left = lines.filter((line) => !line.hidden).length;
    field.textContent = filter === "" ? "" : `${left} of ${counted(lines.length, "row")}`;
  };
  whenViewChanges((view) => queueMicrotask(() => tell(view.filter))); // after the tables have changed
  return field;
}

/** What a link leads to mustn't lie below the controls, where these stick to the top. */
function keepClearOf(controls: HTMLElement): void {
  new ResizeObserver(() => {
    const sticks = getComputedStyle(controls).position === "sticky";
    const above = sticks ? controls.offsetHeight + 8 : 0;
    document.documentElement.style.scrollPaddingTop = `${above}px`;
  }).observe(controls);
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

/** On paper the controls aren't there, but what was chosen with them still acts. */
export function chosenOnPaper(): HTMLElement {
  const words = h("p", { class: "paper-only" });
  whenViewChanges(({ filter, baseline, log }) => {
    const said: string[] = [];
    if (filter !== "") said.push(`The tables show only rows with “${filter}”.`);
    if (baseline !== "") said.push(`×: the figure divided by that of ${baseline}.`);
    if (log) said.push("Bars are on a logarithmic scale.");
    words.textContent = said.join(" ");
  });
  return words;
}

export function controlsOf(report: Report): HTMLElement {
  // A browser that comes back to the page would fill in what was chosen, and the view begins anew.
  const form = h(
    "form",
    { class: "controls", "aria-label": "What is shown", autocomplete: "off" },
    filterField(),
    matchesField(),
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
  keepClearOf(form);
  return form;
}
