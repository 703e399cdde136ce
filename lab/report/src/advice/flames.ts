// SPDX-License-Identifier: MIT
// The calls that allocate, as a flame graph: by bytes, or by bytes times how long they live.
import "d3-flame-graph/dist/d3-flamegraph.css";
import { flamegraph, type StackFrame } from "d3-flame-graph";
import { select } from "d3-selection";
import { h, redrawn } from "../dom";
import { count, digits } from "../words";
import type { AdvicePage, Call } from "./data";
import { bytes } from "./words";

type Measure = "bytes" | "byte_seconds";

interface Frame extends StackFrame {
  call: Call;
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

function labelOf(call: Call): string {
  const lived = call.bytes > 0 ? call.byte_seconds / call.bytes : 0;
  return (
    `${call.name}: ${bytes(call.bytes)} in ${count(call.objects)} objects, ` +
    `which live ${digits(lived * 1000)} ms on average`
  );
}

// The same function has the same color wherever it is; advised ones stand out.
function hueOf(name: string): number {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 997;
  return 190 + (hash % 80);
}

export function flamesOf(page: AdvicePage): HTMLElement {
  const advised = new Set(
    page.advice.filter((l) => l.what !== "leave").map((l) => l.scope.function),
  );
  let measure: Measure = "bytes";
  const draw = (width: number) => {
    const box = h("div", { class: "flames", role: "img" });
    box.setAttribute(
      "aria-label",
      `Calls that allocate, by ${measure === "bytes" ? "bytes" : "bytes times seconds"}`,
    );
    const graph = flamegraph()
      .width(width)
      .cellHeight(20)
      .minFrameSize(2)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .selfValue(false)
      .label((node: { data: Frame }) => labelOf(node.data.call))
      .setColorMapper((node: { data: Frame }) =>
        advised.has(node.data.name) ? "#f5a05c" : `hsl(${hueOf(node.data.name)} 55% 78%)`,
      );
    select(box).datum(frameOf(page.calls, measure)).call(graph);
    return [box];
  };
  const drawing = redrawn("drawing scrolled-flames", draw);
  const chosen = (name: Measure, text: string) => {
    const input = h("input", { type: "radio", name: "measure", value: name });
    input.checked = name === measure;
    input.addEventListener("change", () => {
      measure = name;
      drawing.replaceChildren(...draw(Math.floor(drawing.clientWidth)));
    });
    return h("label", {}, input, ` ${text}`);
  };
  return h(
    "figure",
    { class: "chart", "data-depth": String(depthOf(page.calls)) },
    h(
      "figcaption",
      {},
      "Who allocates, the program's first call on top. A wider frame has more below it; a click " +
        "enlarges it. Orange: functions that advice names.",
    ),
    h(
      "div",
      { class: "controls" },
      chosen("bytes", "by bytes"),
      chosen("byte_seconds", "by lifetime (bytes times seconds)"),
    ),
    drawing,
  );
}
