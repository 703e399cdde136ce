// SPDX-License-Identifier: MIT
// How and where it was measured: what makes the figures worth reading.

import type { Report } from "./data";
import { h } from "./dom";
import { count, counted, digits, percent } from "./words";

const methodOf = (report: Report) =>
  [
    report.method,
    "A bar is as long as the figure above it is large, within its column; one that would flatten the others ends early, with an arrow. On the logarithmic scale bars begin at the power of ten below the least figure.",
    "Resident memory over time is looked at from outside; the curve is that of the process whose peak is the middle one.",
    "“Every figure” below the tables has all phases, the range of the processes and the wall clock’s time; the CSV has six digits of each.",
  ].filter((text) => text !== "");

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function list(pairs: [string, string][]): HTMLElement {
  const items = pairs.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]);
  return h("dl", {}, ...items);
}

function machineOf(report: Report): [string, string][] {
  const m = report.machine;
  const present = report.allocators.filter((a) => a.version !== "");
  return [
    [
      "processor",
      `${m.cpu}, ${counted(Number(m.cpus), "CPU")}, ${digits(Number(m.frequency_mhz))} MHz`,
    ],
    ["governor", String(m.frequency_governor)],
    ["hypervisor", String(m.hypervisor)],
    ["memory", `${digits(Number(m.memory_bytes) / 2 ** 30)} GiB`],
    ["system", `${m.system}, ${m.kernel}`],
    ["huge pages", `${m.huge_pages}, defrag: ${m.huge_pages_defrag}`],
    [
      "load",
      `${digits(report.load.average_at_start)} at the start; others took ${digits(
        report.load.others_cpus,
      )} CPUs meanwhile, the host ${percent(report.load.stolen_share)}`,
    ],
    ["compiler", `${report.build.compiler}, ${report.build.flags}`],
    ["allocators", present.map((a) => `${a.name} ${a.version}`).join(", ")],
    ["environment", report.environment.join(" ") || "no variable that a malloc reads"],
    ["toft", String(report.build.toft_version)],
    ["command", report.command_line.map(quoted).join(" ")],
    ["took", `${count(report.seconds)} s, from ${report.started}`],
  ];
}

export function circumstancesOf(report: Report): HTMLElement {
  const section = h(
    "section",
    { id: "method", "aria-labelledby": "method-title" },
    h("h2", { id: "method-title" }, "How and where it was measured"),
    h("ul", {}, ...methodOf(report).map((text) => h("li", {}, text))),
    list(machineOf(report)),
  );
  if (report.left_out.length > 0) {
    section.append(h("h3", {}, "Left out"));
    section.append(list(report.left_out.map((l) => [l.what, l.why])));
  }
  return section;
}
