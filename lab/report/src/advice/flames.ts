// SPDX-License-Identifier: MIT
// The calls that allocate, as a flame graph: by bytes, or by bytes times how long they live; and those
// that make the most by themselves as a table, for who can't point at a frame.
import "d3-flame-graph/dist/d3-flamegraph.css";
import { flamegraph, type StackFrame } from "d3-flame-graph";
import { select } from "d3-selection";
import { h, redrawn } from "../dom";
import { sortable } from "../sort";
import { count, counted, digits } from "../words";
import type { AdvicePage, Allocating, Call } from "./data";
import { bytes, ofWhich } from "./words";

type Measure = "bytes" | "byte_seconds";

interface Frame extends StackFrame {
  call: Call;
}

/** As the library hands it out. Its numbers are the same whatever the frames' widths are. */
interface Drawn {
  id: number;
  data: Frame;
}

// What its own types leave out.
declare module "d3-flame-graph" {
  interface FlameGraph {
    findById(id: number): Drawn;
    zoomTo(frame: Drawn): void;
  }
}

function frameOf(call: Call, measure: Measure): Frame {
  return {
    name: call.name,
    value: call[measure],
    children: call.children.map((child) => frameOf(child, measure)),
    call,
  };
}

function depthOf(call: Call): number {
  return 1 + Math.max(0, ...call.children.map(depthOf));
}

/** Of a byte, in seconds: of small objects and large ones, the large ones count more. */
function lifeOf({ bytes, byte_seconds }: Allocating): number | undefined {
  return bytes > 0 ? byte_seconds / bytes : undefined;
}

function inWords(life: number): string {
  return `${digits(life * 1000)} ms`;
}

function labelOf(call: Call): string {
  const life = lifeOf(call);
  const lives = life === undefined ? "" : `; a byte lives ${inWords(life)} on average`;
  return `${call.name}: ${bytes(call.bytes)} in ${counted(call.objects, "object")}${lives}`;
}

function hasAny(call: Call, names: Set<string>): boolean {
  return names.has(call.name) || call.children.some((child) => hasAny(child, names));
}

function makersOf(page: AdvicePage): HTMLElement {
  const rows = page.makers.map((made) => {
    const life = lifeOf(made);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, made.name),
      h("td", { "data-sort": String(made.bytes) }, bytes(made.bytes)),
      h("td", { "data-sort": String(made.bytes_with_calls) }, bytes(made.bytes_with_calls)),
      h("td", { "data-sort": String(made.objects) }, count(made.objects)),
      h("td", { "data-sort": String(life ?? "") }, life === undefined ? "-" : inWords(life)),
    );
  });
  const heads = ["function", "bytes", "with what it calls", "objects", "average life of a byte"];
  const table = h(
    "table",
    {},
    h("caption", {}, "What functions make by themselves, and with what they call"),
    h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows),
  );
  sortable(table);
  const told = page.all_makers > rows.length ? `${count(rows.length)} of ` : "";
  return h(
    "details",
    { class: "makers" },
    h("summary", {}, `As a table: ${told}${counted(page.all_makers, "function")}`),
    h("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Makers" }, table),
  );
}

/** Paper is narrower than most screens: without this the drawing would be cut there. */
function fitToPaper(box: HTMLElement): void {
  const svg = box.querySelector("svg");
  const size = ["width", "height"].map((side) => svg?.getAttribute(side));
  if (size.every((side) => side)) svg?.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
}

// The same function has the same color wherever it is; advised ones stand out.
function hueOf(name: string): number {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 997;
  return 190 + (hash % 80);
}

export function flamesOf(page: AdvicePage): HTMLElement {
  const advised = new Set(
    page.lines.filter((line) => line.what !== "leave").map((line) => line.function),
  );
  let measure: Measure = "bytes";
  let enlarged = 0; // the frame that was clicked last, as the library counts them; 0: all
  const draw = (width: number) => {
    const box = h("div", { class: "flames", role: "img" });
    box.setAttribute(
      "aria-label",
      `Calls that allocate, by ${measure === "bytes" ? "bytes" : "bytes times seconds"}. The table below says who makes the most, and with what they call.`,
    );
    const graph = flamegraph()
      .width(width)
      .cellHeight(20)
      .minFrameSize(2)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .selfValue(false)
      .label((node: Drawn) => labelOf(node.data.call))
      .setColorMapper((node: Drawn) =>
        advised.has(node.data.name) ? "#f5a05c" : `hsl(${hueOf(node.data.name)} 55% 78%)`,
      )
      .onClick((frame: Drawn) => {
        enlarged = frame.id;
      });
    select(box).datum(frameOf(page.calls, measure)).call(graph);
    const frame = graph.findById(enlarged);
    if (enlarged !== 0 && frame.data.value > 0) graph.zoomTo(frame);
    fitToPaper(box);
    return [box];
  };
  const drawing = redrawn("drawing", draw);
  const chosen = (name: Measure, text: string) => {
    // Or the browser fills in another choice when it comes back to the page.
    const input = h("input", {
      type: "radio",
      name: "measure",
      value: name,
      autocomplete: "off",
    });
    input.checked = name === measure;
    input.addEventListener("change", () => {
      measure = name;
      drawing.replaceChildren(...draw(Math.floor(drawing.clientWidth)));
    });
    return h("label", {}, input, ` ${text}`);
  };
  const orange = hasAny(page.calls, advised) ? " Orange: functions that advice names." : "";
  return h(
    "figure",
    { class: "chart calls", "data-depth": String(depthOf(page.calls)) },
    h(
      "figcaption",
      {},
      "Who allocates, the program's first call on top. A wider frame has more below it; a click " +
        `enlarges it.${orange}${ofWhich(page)}`,
    ),
    h(
      "fieldset",
      { class: "controls" },
      h("legend", {}, "Width"),
      chosen("bytes", "by bytes"),
      chosen("byte_seconds", "by lifetime (bytes times seconds)"),
    ),
    drawing,
    makersOf(page),
  );
}
