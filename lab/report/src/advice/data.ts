// SPDX-License-Identifier: MIT
// What the command puts into the page: the terminal's words in pieces (lab/advice/advice_words.hpp),
// and the recording's history.

export interface Paragraph {
  text: string;
  items: string[]; // listed below it
}

/** One line of the program that makes objects. */
export interface Maker {
  place: string;
  objects: string;
  sizes: string;
  bytes: string;
  way: string; // from there to the heap; empty: directly
  others: string; // what other advice says of this line; empty: nothing
}

export interface Line {
  number: number;
  what: "leave" | "arena" | "reap" | "pool" | "inline buffer" | "reserve";
  function: string; // the region's; empty: none
  is_small: boolean; // not worth a change even at its best
  headline: string;
  gain: string; // empty: nothing is to be changed
  origin: string; // of the gain; empty: a replay
  reasons: Paragraph[];
  made: string; // stands above the makers
  makers: Maker[];
  more_makers: number; // that aren't among them
  fate: Paragraph[];
  sketch: string;
}

export interface Malloc {
  name: string;
  way: string; // how it is set; empty: it is linked
  time: string;
  peak: string;
}

export interface Allocating {
  name: string;
  objects: number;
  bytes: number;
  byte_seconds: number;
}

/** What a function makes by itself, wherever it is called, and with what it calls. */
export interface Allocator extends Allocating {
  bytes_with_calls: number;
}

/** What is made in a call and below it. */
export interface Call extends Allocating {
  children: Call[];
}

export interface Curve {
  name: string;
  peak_bytes: number;
  bytes: number[]; // by part of the time: those of the moment when all curves had the most
}

export interface Region {
  line: number;
  bands: { begin: number; end: number }[];
}

export interface AdvicePage {
  schema: "toft-advice-page";
  program: string;
  recordings: number;
  about: string;
  remarks: string[]; // what casts doubt on the advice
  notes: string[]; // what was done
  mallocs: { best: string; left_out: string; rows: Malloc[] };
  conclusions: string[];
  lines: Line[];
  closing: string[];
  seconds: number;
  calls: Call;
  makers: Allocator[]; // that make the most by themselves; then the others, with what they call
  all_makers: number;
  curves: Curve[];
  regions: Region[];
}
