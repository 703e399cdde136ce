// SPDX-License-Identifier: MIT
// The page, top to bottom: who won, each suite, the method and the machine.
import "./style.css";
import { barsOf } from "./bars";
import { changesOf } from "./changes";
import { circumstancesOf } from "./circumstances";
import { curvesIn } from "./curves";
import { h } from "./dom";
import type { Result, Suite } from "./result";
import { tableOf } from "./table";
import { count } from "./words";

function headerOf(result: Result): HTMLElement {
  const settings = result.full ? "full settings" : "quick settings";
  const when = result.started.replace("T", " ").replace("Z", " UTC");
  return h(
    "header",
    {},
    h("h1", {}, "toft bench"),
    h("p", {}, `${result.machine.cpu}, ${result.machine.cpus} CPUs; ${when}; ${settings}`),
  );
}

function shortOf(result: Result): HTMLElement {
  const section = h(
    "section",
    { id: "short", "aria-labelledby": "short-title" },
    h("h2", { id: "short-title" }, "In short"),
  );
  for (const suite of result.suites)
    section.append(
      h(
        "p",
        { class: "conclusion" },
        h("a", { href: `#${suite.name}` }, suite.name),
        ` ${suite.conclusion}`,
      ),
    );
  const warnings = [...result.warnings];
  if (result.interrupted) warnings.unshift("Interrupted: what is missing was not measured.");
  for (const warning of warnings) section.append(h("p", { class: "warning" }, warning));
  return section;
}

function legend(suite: Suite): HTMLElement {
  const limits = suite.rows.some((row) => !row.competes);
  const entry = (side: string, words: string) =>
    h("li", {}, h("span", { class: `swatch ${side}`, "aria-hidden": "true" }), words);
  return h(
    "ul",
    { class: "legend" },
    entry("toft", "Toft"),
    entry("other", "others"),
    ...(limits ? [entry("limit", "a limit: no allocator, just a pointer that moves")] : []),
  );
}

function suiteSection(suite: Suite): HTMLElement {
  const section = h(
    "section",
    { id: suite.name, "aria-labelledby": `${suite.name}-title` },
    h("h2", { id: `${suite.name}-title` }, suite.name),
    h(
      "p",
      { class: "sentence" },
      `${suite.summary}; ${suite.size_unit}: ${count(suite.size)}. ${suite.conclusion}`,
    ),
    legend(suite),
    ...curvesIn(suite),
  );
  for (const of of suite.cases) {
    const rows = suite.rows.filter((row) => row.case === of.name);
    if (rows.length === 0) continue;
    section.append(
      h("h3", {}, suite.cases.length === 1 ? of.title : `${suite.name} ${of.name}: ${of.title}`),
      barsOf(of, rows),
      tableOf(suite, of, rows),
    );
  }
  return section;
}

function pageOf(result: Result): HTMLElement[] {
  const places = result.suites.map((s) => s.name);
  if (result.comparison) places.unshift("changes");
  const links = ["short", ...places, "method"].map((id) =>
    h("a", { href: `#${id}` }, id === "short" ? "in short" : id),
  );
  const main = h("main", { id: "report", tabindex: "-1" }, shortOf(result));
  if (result.comparison) main.append(changesOf(result.comparison));
  main.append(...result.suites.map(suiteSection), circumstancesOf(result));
  return [headerOf(result), h("nav", { "aria-label": "Sections" }, ...links), main];
}

const text = document.getElementById("result")?.textContent ?? "";
const result = JSON.parse(text) as Result;
const page = document.getElementById("page");
if (result.schema === "toft-bench") page?.append(...pageOf(result));
else page?.append(h("p", {}, "This page has no result in it: toft report makes one that has."));
