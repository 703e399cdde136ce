// SPDX-License-Identifier: MIT
// The page's words, which are the terminal's.
import { count, counted, fixed } from "../words";
import type { Line, Made, Malloc, Place, Range } from "./data";

export function bytes(value: number): string {
  if (value < 10_000) return counted(value, "byte");
  if (value < 1_000_000) return `${fixed(value / 1024, 0)} KiB`;
  return `${fixed(value / 1048576, 1)} MiB`;
}

/** An estimate has no digits behind the point. */
export function bytesAbout(value: number): string {
  return `about ${value < 10_000_000 ? bytes(value) : `${fixed(value / 1048576, 0)} MiB`}`;
}

/** "0.26", "0.10 to 0.11" */
export function seconds(range: Range): string {
  const [low, high] = [fixed(range.low, 2), fixed(range.high, 2)];
  return low === high ? high : `${low} to ${high}`;
}

export function share(percent: number): string {
  return `${fixed(percent, 1)} %`;
}

export function at(place: Place): string {
  if (place.file === "") return place.function;
  const file = place.file.split("/").at(-1);
  return place.line === 0
    ? `${place.function} (${file})`
    : `${place.function} (${file}:${place.line})`;
}

function plain(value: number): string {
  return fixed(value, Math.abs(value) < 10 ? 1 : 0);
}

const leastShown = 0.05; // percent
const mostPercent = 95; // an end of a range that lies here isn't known

function ends(range: Range): string {
  const [low, high] = [plain(range.low), plain(range.high)];
  return low === high ? `${high} %` : `${low} to ${high} %`;
}

function percents(range: Range): string {
  return range.high >= mostPercent && range.low >= leastShown
    ? `at least ${plain(range.low)} %`
    : ends(range);
}

/** "6 to 9 % less", "12 % more to 49 % less", "0.0 % more or less", "less by an unknown share" */
export function change(range: Range): string {
  const mayBeNone = range.low > -leastShown && range.low < leastShown;
  if (mayBeNone && range.high >= mostPercent) return "less by an unknown share";
  return changeIn(range, percents);
}

function changeIn({ low, high }: Range, words: (range: Range) => string): string {
  if (low > -leastShown && high < leastShown) return "0.0 % more or less";
  if (low > -leastShown) return `${words({ low: Math.max(low, 0), high })} less`;
  if (high < leastShown) return `${words({ low: Math.max(-high, 0), high: -low })} more`;
  return `${plain(-low)} % more to ${plain(high)} % less`;
}

/** Memory may be any multiple of what it was. */
export function changeOfPeak(gained: Range): string {
  return changeIn(gained, ends);
}

/** "40 to 96 bytes", "4 bytes to 144 KiB" */
export function sizes(smallest: number, largest: number): string {
  const [low, high] = [bytes(smallest), bytes(largest)];
  if (low === high) return high;
  const unit = low.slice(low.indexOf(" "));
  return `${high.includes(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

/** "Link mimalloc", "Run it with GLIBC_TUNABLES=glibc.malloc.hugetlb=1" */
export function wayTo(malloc: Malloc): string {
  return malloc.setting === "" ? `Link ${malloc.name}` : `Run it with ${malloc.setting}`;
}

export function objects(value: number): string {
  return counted(value, "object");
}

function place(line: Line): string {
  return line.scope.function === "" ? "for the program's whole life" : `in ${at(line.scope)}`;
}

export function headline(line: Line): string {
  const many = objects(line.objects);
  switch (line.what) {
    case "leave":
      return `Leave ${many} as they are${line.scope.function === "" ? "" : `, ${place(line)}`}`;
    case "arena":
      return `An arena ${place(line)} for ${many}`;
    case "reap":
      return `A reap ${place(line)} for ${many}`;
    case "pool":
      return `The shared pool for ${many}`;
    case "inline buffer":
      return `A buffer on the stack ${place(line)} for ${many}`;
    case "reserve":
      return `Reserve before filling: ${many} grew ${line.growths === 1 ? "once" : `${count(line.growths)} times`}`;
  }
}

/** Whether two are one line of the program, in all instances of a template. */
function isSameLine(a: Place, b: Place): boolean {
  const template = (place: Place) => place.function.split("<")[0];
  return a.file === b.file && a.line === b.line && template(a) === template(b);
}

/**
 * "3,000 in advice 2 are made there too, on another way": who changes the line changes those too.
 * What grows there may be the same objects.
 */
export function othersOf(line: Line, made: Made, all: Line[]): string {
  if (line.what === "leave") return "";
  const others: string[] = [];
  const said: string[] = [];
  for (const other of all.filter((one) => one.number !== line.number))
    for (const same of other.made.filter((of) => isSameLine(of.by, made.by))) {
      if (other.what === "reserve")
        said.push(
          `${count(same.objects)} that are made there grow: do advice ${other.number} first`,
        );
      else if (line.what === "reserve")
        said.push(`advice ${other.number} is about this line too: do this one first`);
      else others.push(`${count(same.objects)} in advice ${other.number}`);
    }
  if (others.length > 0) said.unshift(`${others.join(" and ")} are made there too, on another way`);
  return said.join("; ");
}

/** "by way of std::vector<...>::push_back, operator new" */
export function wayOf(made: Made): string {
  const names = made.way.map((part) => part.function).reverse();
  return names.length === 0 ? "" : `by way of ${names.join(", ")}`;
}

/** Of a region, whose peak may come at another time than the program's. Runs leave no such doubt. */
function changeOfRegion({ low, high }: Range): string {
  const more = low < -leastShown;
  const less = high > leastShown;
  const isKnown = low > leastShown || high < -leastShown;
  if (more === less || isKnown) return changeOfPeak({ low, high });
  return more ? `up to ${plain(-low)} % more` : `up to ${plain(high)} % less`;
}

function memory(saved: Range): string {
  if (saved.low >= -leastShown && saved.high <= leastShown) return "";
  return `, peak memory ${changeOfRegion(saved)}`;
}

export function gain(line: Line): string {
  return gainOfTime(line) + memory(line.peak_percent);
}

/** What the arena gains with the objects that were left out of it; empty: it isn't worth its memory. */
export function gainOfWhole({ left_out }: Line): string {
  if (!left_out?.worth_its_memory || !left_out.replayed) return "";
  const { frees_kept, frees_dropped } = left_out.replayed;
  const ways = [frees_kept, ...(frees_dropped ? [frees_dropped] : [])];
  const gained = {
    low: Math.min(...ways.map((way) => way.low)),
    high: Math.max(...ways.map((way) => way.high)),
  };
  const number = left_out.number === 0 ? "" : ` (${left_out.number})`;
  return (
    `With the ${objects(left_out.objects)}${number} in it too that come and go one by one: CPU time ` +
    `${change(gained)}${memory(left_out.peak_percent)}.`
  );
}

/** Not worth a change even at its best. The terminal tells such lines by their headlines. */
export function isSmall(line: Line): boolean {
  const [leastCpu, leastPeak] = [2, 10]; // percent
  const { low, high } = line.cpu_percent;
  // It may gain nothing, and no replay has confirmed what little a model promises.
  const unconfirmed = !line.replayed && Math.abs(low) < leastShown && (low + high) / 2 < leastCpu;
  return (
    line.what !== "leave" &&
    (high < leastCpu || unconfirmed) &&
    line.peak_percent.high < leastPeak &&
    !line.left_out?.worth_its_memory
  );
}

export const hasHook = (line: Line) =>
  line.what === "arena" && (line.in_library || line.wrappers.length > 0);
const hookOf = (line: Line) =>
  line.in_library ? "a library's hook for memory" : "what calls malloc";

const leastTold = 50; // a fiftieth of the objects, or of their bytes

/** What goes into the arena too where its lines can't tell it apart; none where little does. */
export function othersOfLines(line: Line): string[] {
  const peak = line.peak_percent_with_others;
  if (line.others_of_lines * leastTold <= line.objects || !peak) return [];
  return [
    `Where these lines can't tell them from ${counted(line.others_of_lines, "other object")} that ` +
      "they make there on another way, those come into it too: peak memory " +
      `${changeOfRegion(peak)}.`,
  ];
}

/** What stays out of the hook, of the objects that are to be in the arena. */
export function besideHook(line: Line): string[] {
  if (line.beside_hook === 0) return [];
  const [are, stay] = line.beside_hook === 1 ? ["is", "it stays"] : ["are", "they stay"];
  return [
    `${count(line.beside_hook)} of them ${are} made on another way than by what calls malloc: ` +
      `${stay} with malloc and free.`,
  ];
}

/** What goes into the arena too where a hook fills it; none where little does. */
export function othersByHook(line: Line): string[] {
  const others = line.others_by_hook;
  const few =
    others * leastTold <= line.objects && line.other_bytes_by_hook * leastTold <= line.bytes;
  if (few && line.others_outliving === 0) return [];
  const [are, come, them] = others === 1 ? ["is", "comes", "it"] : ["are", "come", "them"];
  const all = line.lives > 1 ? ` in all ${count(line.lives)} times` : "";
  const peak = line.peak_percent_with_others;
  const withThem = peak ? `; with ${them}: peak memory ${changeOfRegion(peak)}` : "";
  const said = [
    `By way of ${line.in_library ? "the library's hook" : "what calls malloc"}, ` +
      `${counted(others, "other object")} that ${are} made meanwhile ${come} into it too, ` +
      `${bytes(line.other_bytes_by_hook)}${all}. The memory above is without ${them}${withThem}.`,
  ];
  if (line.others_outliving > 0)
    said.push(
      `${count(line.others_outliving)} of them live longer: where those are made, another strategy ` +
        "must be current.",
    );
  return said;
}

function gainOfTime(line: Line): string {
  const replayed = line.replayed;
  const hasFrees = line.never_freed !== line.objects;
  if (!replayed?.frees_dropped || !hasFrees) return `CPU time ${change(line.cpu_percent)}`;
  const hooked = hasHook(line) ? replayed.frees_hooked : null;
  return (
    `CPU time ${change(replayed.frees_kept)} when each free stays and does nothing, ` +
    (hooked ? `${change(hooked)} through ${hookOf(line)}, ` : "") +
    `${change(replayed.frees_dropped)} when the frees go`
  );
}
