// SPDX-License-Identifier: MIT
// What the command puts into the page: lab/advice/advice.schema.json, and the recording's history.

export interface Range {
  low: number;
  high: number;
}

export interface Place {
  function: string;
  file: string;
  line: number;
}

export interface Made {
  by: Place;
  way: Place[];
  objects: number;
  bytes: number;
  smallest_bytes: number;
  largest_bytes: number;
}

export interface Escape {
  made: Made;
  escaping: number;
  freed_by: Place;
  at_least: boolean;
  same_line: boolean;
}

export type Remedy = "leave" | "arena" | "reap" | "pool" | "inline buffer" | "reserve";

export interface Change {
  frees_kept: Range;
  frees_hooked: Range | null;
  frees_dropped: Range | null;
  in_program: boolean; // runs of the program found it; else a replay has
}

/** What would bloat an arena, and what it gains and costs there. */
export interface LeftOut {
  number: number; // of the advice that is about them; 0: none is
  objects: number;
  peak_percent: Range;
  replayed: Change | null;
  worth_its_memory: boolean;
}

export interface Line {
  number: number;
  what: Remedy;
  why: string;
  scope: Place;
  end: Place;
  objects: number;
  bytes: number;
  lives: number;
  most_in_a_life: number;
  never_freed: number;
  growths: number;
  grows_until_exit: boolean;
  cpu_percent: Range;
  peak_percent: Range;
  cpp: boolean; // C++ code fills the arena
  in_library: boolean;
  wrappers: Place[]; // of malloc, through which many lines make the objects
  beside_hook: number; // of these, on another way
  others_by_hook: number; // objects that would be placed with them
  other_bytes_by_hook: number;
  others_outliving: number; // of those, the region's call
  others_of_lines: number; // without a hook: what the same lines make there too
  peak_percent_with_others: Range | null; // null: there are none
  replayed: Change | null;
  not_in_program: string; // why it wasn't run with these objects in an arena; empty: not asked for
  left_out: LeftOut | null;
  made: Made[];
  more_makers: number;
  freed_by: Place[]; // the lines that free the most
  more_freeing: number;
  frees_others: boolean;
  escaping: number;
  may_escape_unseen: boolean; // none was seen to, but calls may look like one
  escapes: Escape[];
  more_escapes: number;
  sketch: string;
}

export interface Malloc {
  name: string;
  setting: string; // VAR=VALUE, instead of linking; empty: none
  cpu_percent: Range;
  peak_percent: Range;
  measured: boolean; // by runs of the program
}

/** What a function makes by itself, wherever it is called. */
export interface Maker {
  name: string;
  objects: number;
  bytes: number;
  byte_seconds: number;
}

/** What is made in a call and below it. */
export interface Call extends Maker {
  children: Call[];
}

export interface Curve {
  name: string;
  bytes: number[];
}

export interface Region {
  line: number;
  bands: { begin: number; end: number; lives: number }[];
}

export interface AdvicePage {
  schema: "toft-advice-page";
  program: string;
  recordings: number;
  objects: number;
  threads: number;
  peak_live_bytes: number;
  processor_seconds: Range;
  region_percent: number;
  sampled: boolean;
  leave_it: boolean;
  remarks: string[]; // what casts doubt on the advice
  notes: string[]; // what was done
  mallocs: Malloc[];
  malloc_first: boolean;
  smaller_malloc: string; // that gains as much as the first, for less memory; empty: none
  malloc_beyond_all: boolean;
  replay_left_out: string;
  advice: Line[];
  seconds: number;
  calls: Call;
  makers: Maker[]; // those that make the most bytes
  all_makers: number;
  live_bytes: number[];
  curves: Curve[];
  regions: Region[];
}
