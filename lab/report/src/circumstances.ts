// SPDX-License-Identifier: MIT
// How and where it was measured: what makes the figures worth reading.
import { h } from "./dom";
import type { Result } from "./result";
import { count, digits, percent } from "./words";

/** In percent: "15 %". */
function noisySpreads(result: Result): string {
  const spreads = result.suites.flatMap((suite) => suite.rows.map((row) => row.noisy_spread));
  return [...new Set(spreads)].map(percent).join(" or ");
}

const methodOf = (result: Result) => [
  "One subject a process. Each process proves that its malloc is the one it should be, runs its one subject and ends.",
  "Interleaved: in every repetition each row of a case has its turn, each time another one first, every other time backwards.",
  "Cold and warm apart: before each process as much memory as it needs is touched once and given back; the first round in a process is kept apart from the later ones.",
  `Bars and figures are medians of the processes; dots are single processes, the line spans all of them. The spread is the interquartile range divided by the median; above ${noisySpreads(result)} a row is noisy and nothing is concluded from it.`,
  "Heap calls are counted in a run of their own. A row that makes fewer than its text asks for, or is faster than can be, is elided and gets no figure.",
];

function list(pairs: [string, string][]): HTMLElement {
  const items = pairs.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]);
  return h("dl", {}, ...items);
}

function machineOf(result: Result): [string, string][] {
  const m = result.machine;
  const present = result.allocators.filter((a) => a.version !== "");
  return [
    ["processor", `${m.cpu}, ${m.cpus} CPUs, ${digits(Number(m.frequency_mhz))} MHz`],
    ["governor", String(m.frequency_governor)],
    ["hypervisor", String(m.hypervisor)],
    ["memory", `${digits(Number(m.memory_bytes) / 2 ** 30)} GiB`],
    ["system", `${m.system}, ${m.kernel}`],
    ["huge pages", `${m.huge_pages}, defrag: ${m.huge_pages_defrag}`],
    [
      "load",
      `${digits(result.load.average_at_start)} at the start; others took ${digits(
        result.load.others_cpus,
      )} CPUs meanwhile, the host ${percent(result.load.stolen_share)}`,
    ],
    ["compiler", `${result.build.compiler}, ${result.build.flags}`],
    ["allocators", present.map((a) => `${a.name} ${a.version}`).join(", ")],
    ["toft", String(result.build.toft_version)],
    ["command", result.command_line.join(" ")],
    ["took", `${count(result.seconds)} s, from ${result.started}`],
  ];
}

export function circumstancesOf(result: Result): HTMLElement {
  const section = h(
    "section",
    { id: "method", "aria-labelledby": "method-title" },
    h("h2", { id: "method-title" }, "How and where it was measured"),
    h("ul", {}, ...methodOf(result).map((text) => h("li", {}, text))),
    list(machineOf(result)),
  );
  if (result.left_out.length > 0) {
    section.append(h("h3", {}, "Left out"));
    section.append(list(result.left_out.map((l) => [l.what, l.why])));
  }
  return section;
}
