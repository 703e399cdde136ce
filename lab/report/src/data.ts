// SPDX-License-Identifier: MIT
// What the command puts into the page; lab/show/page_data.cpp makes it.

export type Rounds = "first" | "later";
export type Side = "toft" | "other" | "yardstick";
export type Verdict = "sound" | "noisy" | "elided" | "failed";

export interface FigureKind {
  phase: string;
  rounds: Rounds;
  whole: boolean;
  operations: number;
}

/** Nanoseconds of CPU time; the last but one of wall time, null where processes shared a processor;
 *  the values only where samples are here. */
type PackedFigure = [
  kind: number,
  median: number,
  lowest: number,
  highest: number,
  spread: number,
  wall: number | null,
  values?: number[],
];

export interface Row {
  case: string;
  title: string;
  side: Side;
  verdict: Verdict;
  problem: string;
  remark: string;
  processes: number;
  repetitions: number;
  peak_mebibytes: number;
  page_faults: number | null; // null: no process ended
  heap_calls?: number;
  figures: PackedFigure[];
  memory?: { ms: number[]; mebibytes: number[] };
  live_mebibytes?: number;
}

/** Its text as the terminal prints it; of a figure also six digits, whether it is the best, and
 *  whether it is noisy. */
export type Cell = string | [text: string, exact: number | null, best: boolean, noisy?: true];

export interface Column {
  header: string;
  group: string;
  best: boolean;
  exact_unit: string; // of the exact figures, where it isn't that of the texts; empty: it is
}

export interface Line {
  rows: number[];
  cells: Cell[];
}

export interface ShownTable {
  heading: string;
  case: string;
  note: string;
  columns: Column[];
  lines: Line[];
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
  note: string;
  drift: string;
  cases: Case[];
  tables: ShownTable[];
  figures: FigureKind[];
  rows: Row[];
}

/** In the terminal's words. */
export interface Comparison {
  differences: string[];
  headers: string[];
  lines: string[][]; // of the figures that changed
  note: string;
  suites: string[];
  sum: string;
  unmatched: string; // empty: every row is in both results
  unmatched_rows: string[];
  not_judged: string[];
}

export interface Report {
  schema: string;
  title: string;
  started: string;
  command_line: string[];
  seconds: number;
  full: boolean;
  warnings: string[];
  problems: string[];
  machine: Record<string, string | number>;
  load: { average_at_start: number; others_cpus: number; stolen_share: number };
  build: Record<string, string | number | boolean>;
  allocators: { name: string; version: string }[];
  environment: string[];
  left_out: { what: string; why: string }[];
  method: string;
  suites: Suite[];
  comparison: Comparison | null;
  result?: unknown; // the whole result file, where samples were asked for
}

export interface Figure extends FigureKind {
  median: number; // CPU ns for each operation, and so on
  lowest: number;
  highest: number;
  wall: number | null; // null: the processes shared a processor with others
  spread: number;
  values: number[];
}

export function figuresOf(suite: Suite, row: Row): Figure[] {
  return row.figures.flatMap(([kind, median, lowest, highest, spread, wall, values]) => {
    const of = suite.figures[kind];
    if (!of) return [];
    const each = (ns: number) => ns / Math.max(1, of.operations);
    return [
      {
        ...of,
        median: each(median),
        lowest: each(lowest),
        highest: each(highest),
        wall: wall === null ? null : each(wall),
        spread,
        values: (values ?? []).map(each),
      },
    ];
  });
}

/** All that a row does in its later rounds, or, where it has one round only, in the first. */
export function mainOf(suite: Suite, row: Row): Figure | undefined {
  const whole = figuresOf(suite, row).filter((figure) => figure.whole);
  return whole.find((figure) => figure.rounds === "later") ?? whole[0];
}

export function rowsOf(suite: Suite, line: Line): Row[] {
  return line.rows.flatMap((index) => suite.rows[index] ?? []);
}

export function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell[0];
}

export function exactOf(cell: Cell): number | undefined {
  return typeof cell === "string" ? undefined : (cell[1] ?? undefined);
}

/** A case is linked to by this. */
export function anchorOf(suite: Suite, caseName: string): string {
  return `${suite.name}/${caseName}`;
}
