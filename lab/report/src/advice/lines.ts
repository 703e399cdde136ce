// SPDX-License-Identifier: MIT
// Each piece of advice with the evidence behind it.
import { h, marked } from "../dom";
import { counted } from "../words";
import type { AdvicePage, Line, Maker, Paragraph } from "./data";

/** As many lines that make objects as the terminal tells. */
const toldLines = 5;

function moreLines(lines: number): string {
  return `and ${counted(lines, "more line")}`;
}

function tableOf(makers: Maker[], unknown: number): HTMLElement {
  const head = ["made by", "objects", "size", "in all"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const rows = makers.map(({ place, way, others, objects, sizes, bytes }) => {
    const notes = [way, others].filter((words) => words !== "");
    const spans = notes.map((words) => h("span", { class: "way" }, words));
    const figures = [objects, sizes, bytes].map((text) => h("td", {}, text));
    return h("tr", {}, h("th", { scope: "row" }, place, ...spans), ...figures);
  });
  if (unknown > 0) rows.push(h("tr", {}, h("td", { colspan: "4" }, moreLines(unknown))));
  return h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}

function makersOf({ makers, more_makers }: Line): HTMLElement {
  const others = makers.slice(toldLines);
  const parts = [tableOf(makers.slice(0, toldLines), others.length > 0 ? 0 : more_makers)];
  if (others.length > 0) {
    const summary = h("summary", {}, moreLines(others.length + more_makers));
    parts.push(h("details", { class: "more" }, summary, tableOf(others, more_makers)));
  }
  return h(
    "div",
    { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Who makes these objects" },
    ...parts,
  );
}

function paragraphOf({ text, items }: Paragraph): HTMLElement[] {
  const listed = items.map((item) => h("li", {}, item));
  return [h("p", {}, text), ...(listed.length > 0 ? [h("ul", {}, ...listed)] : [])];
}

/** What stands below a headline and its gain. */
function evidenceOf(line: Line): HTMLElement[] {
  return [
    ...(line.origin === "" ? [] : [h("p", { class: "how" }, line.origin)]),
    ...line.reasons.flatMap(paragraphOf),
    h("p", {}, line.made),
    makersOf(line),
    ...line.fate.flatMap(paragraphOf),
    ...(line.sketch === "" ? [] : [h("pre", {}, h("code", {}, line.sketch))]),
  ];
}

function lineOf(line: Line): HTMLElement {
  return h(
    "article",
    { class: "line", "data-what": line.what },
    h("h3", {}, line.headline),
    ...(line.gain === "" ? [] : [h("p", { class: "gain" }, `Expected: ${line.gain}.`)]),
    ...evidenceOf(line),
  );
}

/** What is hardly worth a change is told by its headline, and the rest when asked for. */
function smallOf(line: Line): HTMLElement {
  return h(
    "details",
    { class: "line small", "data-what": line.what },
    h("summary", {}, `${line.headline}: ${line.gain}`),
    ...evidenceOf(line),
  );
}

export function linesOf(page: AdvicePage): HTMLElement[] {
  const small = page.lines.filter((line) => line.is_small).map(smallOf);
  return [
    ...page.conclusions.map((text) => h("article", { class: "line" }, h("h3", {}, text))),
    ...page.lines.filter((line) => !line.is_small).map(lineOf),
    ...(small.length === 0 ? [] : [h("h3", {}, "Hardly worth a change"), ...small]),
    ...page.closing.map((text) => h("p", { class: "note" }, ...marked(text))),
  ];
}
