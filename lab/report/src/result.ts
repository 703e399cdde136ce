// SPDX-License-Identifier: MIT
// The result file as the command wrote it: lab/result/result.schema.json says what each field means.

export type Rounds = "first" | "later";
export type Change = "none" | "faster" | "slower" | "unsure";

export interface Time {
  median: number;
  lowest: number;
  highest: number;
  spread: number;
  values: number[];
}

export interface Figure {
  phase: string;
  rounds: Rounds;
  whole: boolean;
  operations: number;
  cpu_ns: Time;
  wall_ns: Time;
}

export interface Sample {
  peak_bytes: number;
  minor_faults: number;
  heap: { allocations: number; deallocations: number; bytes: number };
}

export interface Row {
  case: string;
  subject: string;
  allocator: string;
  by_allocator: boolean;
  is_toft: boolean;
  competes: boolean;
  noisy_spread: number;
  threads: number;
  repetitions: number;
  verdict: "sound" | "noisy" | "elided" | "failed";
  problem: string;
  remark: string;
  figures: Figure[];
  samples: Sample[];
  counted: Sample | null;
}

export interface Case {
  name: string;
  title: string;
  threads: number;
  family: string;
  object_bytes: number;
}

export interface Suite {
  name: string;
  summary: string;
  conclusion: string;
  size: number;
  size_unit: string;
  cases: Case[];
  rows: Row[];
}

export interface ComparedFigure {
  suite: string;
  case: string;
  row: string;
  phase: string;
  rounds: Rounds;
  clock: "cpu_ns" | "wall_ns";
  old_ns: number;
  new_ns: number;
  ratio: number;
  low: number;
  high: number;
  role: "judged" | "control" | "bystander";
  change: Change;
  why: string;
}

export interface Comparison {
  differences: string[];
  unmatched: string[];
  suites: { suite: string; visible: number; visible_in_all: number }[];
  cases: unknown[];
  figures: ComparedFigure[];
}

export interface Result {
  schema: string;
  schema_version: number;
  started: string;
  command_line: string[];
  seconds: number;
  full: boolean;
  interrupted: boolean;
  warnings: string[];
  machine: Record<string, string | number>;
  load: { average_at_start: number; others_cpus: number; stolen_share: number };
  build: Record<string, string | number | boolean>;
  allocators: { name: string; version: string; library: string; package: string }[];
  left_out: { what: string; why: string }[];
  suites: Suite[];
  comparison: Comparison | null;
}

export function titleOf(row: Row): string {
  return row.by_allocator ? `${row.subject} (${row.allocator})` : row.subject;
}

export type Side = "toft" | "other" | "limit";

export function sideOf(row: Row): Side {
  if (!row.competes) return "limit";
  return row.is_toft ? "toft" : "other";
}

/** Rows without figures, and those whose figures mean nothing. */
export function hasFigures(row: Row): boolean {
  return row.verdict !== "elided" && row.samples.length > 0;
}

/** All that a row does in its first round, or in the later ones. */
export function wholeOf(row: Row, rounds: Rounds): Figure | undefined {
  if (!hasFigures(row)) return undefined;
  return row.figures.find((f) => f.whole && f.rounds === rounds);
}

export function isNoisy(row: Row, figure: Figure): boolean {
  return figure.cpu_ns.spread > row.noisy_spread;
}

export function mainOf(row: Row): Figure | undefined {
  return wholeOf(row, "later") ?? wholeOf(row, "first");
}

/** CPU nanoseconds for each operation. */
export function perOperation(figure: Figure, value = figure.cpu_ns.median): number {
  return value / Math.max(1, figure.operations);
}

export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const above = sorted.length >> 1;
  const upper = sorted[above] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[above - 1] ?? Number.NaN)) / 2;
}

export function peakMebibytes(row: Row): number {
  return median(row.samples.map((s) => s.peak_bytes)) / 2 ** 20;
}
