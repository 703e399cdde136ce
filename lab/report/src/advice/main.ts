// SPDX-License-Identifier: MIT
// The page of `toft advise --html`, top to bottom: what to do, when, and who allocates.
import "../style.css";
import "../tables.css";
import "../print.css";
import "./advice.css";
import { h, marked } from "../dom";
import { unfoldForPaper } from "../folds";
import { counted } from "../words";
import { memoryOf, regionsOf } from "./charts";
import type { AdvicePage } from "./data";
import { flamesOf } from "./flames";
import { linesOf } from "./lines";
import { mallocsOf } from "./mallocs";
import { bytes, bytesAbout, objects, seconds, share } from "./words";

function section(id: string, title: string, ...children: HTMLElement[]): HTMLElement[] {
  if (children.length === 0) return [];
  const heading = h("h2", { id: `${id}-title` }, title);
  return [h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children)];
}

function headerOf(page: AdvicePage): HTMLElement {
  const about = page.sampled ? "about " : "";
  const peak = (page.sampled ? bytesAbout : bytes)(page.peak_live_bytes);
  const recordings = counted(page.recordings, "recording");
  const arenas = page.sampled
    ? ""
    : ` An arena could take ${share(page.region_percent)} of the objects.`;
  return h(
    "header",
    {},
    h("h1", {}, `toft advise: ${page.program}`),
    h(
      "p",
      {},
      `${about}${objects(page.objects)} on ${counted(page.threads, "thread")}, ` +
        `${peak} at the peak, ${seconds(page.processor_seconds)} s of CPU time; ` +
        `${recordings}.${arenas}`,
    ),
  );
}

function pageOf(page: AdvicePage): HTMLElement[] {
  const remarks = page.remarks.map((remark) => h("p", { class: "warning" }, ...marked(remark)));
  const notes = page.notes.map((note) => h("p", { class: "note" }, ...marked(note)));
  const sections = section("advice", "Advice", ...remarks, ...linesOf(page), ...notes);
  if (page.objects > 0)
    sections.push(
      ...section("mallocs", "Another malloc, and nothing else", ...mallocsOf(page)),
      ...section("memory", "Memory over time", memoryOf(page), ...regionsOf(page)),
      ...section("calls", "Who allocates", flamesOf(page)),
    );
  const links = sections.map((part) => h("a", { href: `#${part.id}` }, part.id));
  return [
    headerOf(page),
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
