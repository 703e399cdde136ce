// SPDX-License-Identifier: MIT
// The page of `toft advise --html`, top to bottom: what to do, when, and who allocates.
import "../style.css";
import "../tables.css";
import "../print.css";
import "./advice.css";
import { h, marked } from "../dom";
import { unfoldForPaper } from "../folds";
import { memoryOf, regionsOf } from "./charts";
import type { AdvicePage } from "./data";
import { flamesOf } from "./flames";
import { linesOf } from "./lines";
import { mallocsOf } from "./mallocs";

function section(id: string, title: string, ...children: HTMLElement[]): HTMLElement[] {
  if (children.length === 0) return [];
  const heading = h("h2", { id: `${id}-title` }, title);
  return [h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children)];
}

function pageOf(page: AdvicePage): HTMLElement[] {
  const remarks = page.remarks.map((remark) => h("p", { class: "warning" }, ...marked(remark)));
  const notes = page.notes.map((note) => h("p", { class: "note" }, ...marked(note)));
  const sections = section("advice", "Advice", ...remarks, ...linesOf(page), ...notes);
  sections.push(...section("mallocs", "Another malloc, and nothing else", ...mallocsOf(page)));
  if (page.calls.objects > 0)
    sections.push(
      ...section("memory", "Memory over time", memoryOf(page), ...regionsOf(page)),
      ...section("calls", "Who allocates", flamesOf(page)),
    );
  const links = sections.map((part) => h("a", { href: `#${part.id}` }, part.id));
  return [
    h("header", {}, h("h1", {}, `toft advise: ${page.program}`), h("p", {}, page.about)),
    ...(links.length > 1 ? [h("nav", { "aria-label": "Sections" }, ...links)] : []),
    h("main", { tabindex: "-1" }, ...sections),
  ];
}

const text = document.getElementById("result")?.textContent ?? "";
const page = JSON.parse(text) as AdvicePage;
const root = document.getElementById("page");
if (page.schema === "toft-advice-page") {
  document.title = `toft advise: ${page.program}`;
  root?.append(...pageOf(page));
  unfoldForPaper("details");
} else root?.append(h("p", {}, "This page has no advice in it: toft advise makes one that has."));
