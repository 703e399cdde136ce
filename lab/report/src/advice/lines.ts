// SPDX-License-Identifier: MIT
// Each piece of advice with the evidence behind it.
import { h, marked } from "../dom";
import { count, counted } from "../words";
import type { AdvicePage, Escape, Line, Made } from "./data";
import {
  at,
  besideHook,
  bytes,
  gain,
  gainOfWhole,
  hasHook,
  headline,
  isSmall,
  objects,
  othersByHook,
  othersOf,
  othersOfLines,
  sizes,
  wayOf,
  wayTo,
} from "./words";

/** As many lines that make objects as the terminal tells. */
const toldLines = 5;

function moreLines(lines: number): string {
  return `and ${counted(lines, "more line")}`;
}

function makersOf(line: Line, all: Line[]): HTMLElement {
  const rowOf = (made: Made) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        at(made.by),
        ...[wayOf(made), othersOf(line, made, all)]
          .filter((words) => words !== "")
          .map((words) => h("span", { class: "way" }, words)),
      ),
      h("td", {}, count(made.objects)),
      h("td", {}, sizes(made.smallest_bytes, made.largest_bytes)),
      h("td", {}, bytes(made.bytes)),
    );
  const tableOf = (made: Made[], unknown: number) => {
    const head = ["made by", "objects", "size", "in all"].map((text) =>
      h("th", { scope: "col" }, text),
    );
    const rows = made.map(rowOf);
    if (unknown > 0) rows.push(h("tr", {}, h("td", { colspan: "4" }, moreLines(unknown))));
    return h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
  };
  const told = line.made.slice(0, toldLines);
  const others = line.made.slice(toldLines);
  const parts: HTMLElement[] = [tableOf(told, others.length > 0 ? 0 : line.more_makers)];
  if (others.length > 0) {
    const summary = h("summary", {}, moreLines(others.length + line.more_makers));
    parts.push(h("details", { class: "more" }, summary, tableOf(others, line.more_makers)));
  }
  return h(
    "div",
    { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Who makes these objects" },
    ...parts,
  );
}

/** A hook's frees stay, and destructors free what containers hold. */
function wordsOnFrees(line: Line): string {
  if (hasHook(line)) return "";
  const goes = line.cpp ? ": what the text itself frees or deletes there goes" : ": these frees go";
  return goes + (line.frees_others ? ", but for what else they free" : "");
}

function freesOf(line: Line): string[] {
  if (line.freed_by.length === 0) return [];
  const lines = line.freed_by.map(at);
  const more = line.more_freeing > 0 ? ` and ${counted(line.more_freeing, "more line")}` : "";
  return [`They are freed mostly by ${lines.join(", ")}${more}${wordsOnFrees(line)}.`];
}

/** What would be for each input of the program, if there were many. */
function happenedOnceInMain(line: Line): boolean {
  const { what, lives, never_freed, scope } = line;
  const isLate = scope.function === "" || scope.function === "main";
  return what === "arena" && lives === 1 && never_freed !== line.objects && isLate;
}

function endOf(line: Line): string[] {
  if (line.what === "leave" || line.what === "pool" || line.what === "reserve") return [];
  const said: string[] = [];
  if (line.never_freed === line.objects) said.push("They are never freed.");
  else if (line.end.function !== "")
    said.push(
      line.end.line === 0 && line.end.function === line.scope.function
        ? `They all die in ${line.scope.function}.`
        : `They all die in ${line.scope.function}, most of them at ${at(line.end)}.`,
    );
  said.push(...freesOf(line));
  if (line.never_freed > 0 && line.never_freed < line.objects)
    said.push(
      `${count(line.never_freed)} of them ${line.never_freed === 1 ? "is" : "are"} never freed.`,
    );
  // All but a tenth in one life: the others are worth no word.
  if (line.lives > 1 && line.most_in_a_life * 10 <= line.objects * 9)
    said.push(
      `This happens ${count(line.lives)} times, with up to ${objects(line.most_in_a_life)} at a time.`,
    );
  if (happenedOnceInMain(line))
    said.push(
      "This happened once in what was recorded: where the program does it for each of its inputs, " +
        "reset the arena there.",
    );
  if (line.grows_until_exit)
    said.push("Their number grows until the end. If that is a leak, mend it instead.");
  return said;
}

function escapeOf(escaped: Escape): HTMLElement {
  const freed =
    escaped.freed_by.function === "" ? "never freed" : `freed by ${at(escaped.freed_by)}`;
  const same = escaped.same_line ? "; the same line makes advised ones, on another way" : "";
  const many = `${escaped.at_least ? "at least " : ""}${count(escaped.escaping)} of ${count(escaped.made.objects)}`;
  return h("li", {}, `${at(escaped.made.by)}: ${many}, ${freed}${same}`);
}

function escapesListOf(line: Line): HTMLElement {
  const items = line.escapes.slice(0, toldLines).map(escapeOf);
  const untold = line.escapes.length - items.length + line.more_escapes;
  if (untold > 0) items.push(h("li", {}, `and some from ${counted(untold, "more line")}`));
  return h("ul", {}, ...items);
}

/** Of the objects that are to be left as they are. */
function survivorsOf(line: Line): HTMLElement[] {
  if (line.escaping === 0) return [];
  const atLeast = line.escapes.some((escaped) => escaped.at_least) ? "At least " : "";
  const live = line.escaping === 1 ? "lives" : "live";
  return [
    h("p", {}, `${atLeast}${count(line.escaping)} of them ${live} longer:`),
    escapesListOf(line),
  ];
}

const moreMayEscape =
  "Calls of it that follow each other may look like one here, so that more may: toft verify tells.";

function escapesOf(line: Line): HTMLElement[] {
  if (line.what === "pool" || line.what === "reserve") return [];
  if (line.scope.function === "" && line.escaping === 0) return [];
  if (line.what === "leave") return survivorsOf(line);
  if (line.escaping === 0)
    return [
      h(
        "p",
        {},
        line.may_escape_unseen
          ? "No object was seen to outlive it, but calls of it that follow each other " +
              "may look like one here: toft verify tells."
          : "Nothing that is made there outlives it.",
      ),
    ];
  const atLeast = line.escapes.some((escaped) => escaped.at_least);
  const one = line.escaping === 1;
  const what = atLeast
    ? "keep out of it what these lines make"
    : one
      ? "keep that out of it"
      : "keep them out of it";
  return [
    h(
      "p",
      {},
      `${atLeast ? "At least " : ""}${objects(line.escaping)} made there ${one ? "lives" : "live"} longer: ` +
        `${what}.`,
    ),
    escapesListOf(line),
    ...(line.may_escape_unseen ? [h("p", {}, moreMayEscape)] : []),
  ];
}

function originOf({ replayed, not_in_program }: Line): string {
  if (replayed?.in_program) return "The program was run with these objects in an arena.";
  const found = replayed ? "Found by replaying the recording." : "A model's estimate.";
  return not_in_program === ""
    ? found
    : `${found} It couldn't be measured in the program itself: ${not_in_program}.`;
}

/** What stands below a headline and its gain. */
function evidenceOf(line: Line, all: Line[]): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (line.what !== "leave") {
    parts.push(h("p", { class: "how" }, originOf(line)));
    const whole = gainOfWhole(line);
    if (whole !== "") parts.push(h("p", { class: "whole" }, whole));
    for (const others of [...besideHook(line), ...othersByHook(line), ...othersOfLines(line)])
      parts.push(h("p", { class: "others" }, others));
  }
  if (line.why !== "") parts.push(h("p", {}, `Why: ${line.why}.`));
  parts.push(makersOf(line, all), ...endOf(line).map((said) => h("p", {}, said)));
  parts.push(...escapesOf(line));
  if (line.sketch !== "") parts.push(h("pre", {}, h("code", {}, line.sketch)));
  return parts;
}

function lineOf(line: Line, all: Line[]): HTMLElement {
  return h(
    "article",
    { class: "line", "data-what": line.what },
    h("h3", {}, `${line.number}. ${headline(line)}`),
    ...(line.what === "leave" ? [] : [h("p", { class: "gain" }, `Expected: ${gain(line)}.`)]),
    ...evidenceOf(line, all),
  );
}

/** What is hardly worth a change is told by its headline, and the rest when asked for. */
function smallOf(page: AdvicePage): HTMLElement[] {
  const folds = page.advice
    .filter(isSmall)
    .map((line) =>
      h(
        "details",
        { class: "line small", "data-what": line.what },
        h("summary", {}, `${line.number}. ${headline(line)}: ${gain(line)}`),
        ...evidenceOf(line, page.advice),
      ),
    );
  return folds.length === 0 ? [] : [h("h3", {}, "Hardly worth a change"), ...folds];
}

function orderOf({ advice }: AdvicePage): HTMLElement[] {
  if (advice.every((line, i) => line.number >= (advice[i - 1]?.number ?? 0))) return [];
  const said = "Replays have changed the order, but not the numbers, which `toft verify` takes.";
  return [h("p", { class: "note" }, ...marked(said))];
}

// As the terminal says it.
function promiseOfMalloc(page: AdvicePage): string {
  if (page.malloc_beyond_all) return "that alone promises more than any change that was found";
  const wasRun = page.advice.some((line) => line.replayed?.in_program);
  const unsure = page.mallocs[0]?.measured && !wasRun;
  return (
    "that alone promises as much as any change that was found" +
    (unsure ? ", but no change was run in the program" : "")
  );
}

export function linesOf(page: AdvicePage): HTMLElement[] {
  const cards: HTMLElement[] = [];
  const early = (text: string) => h("article", { class: "line" }, h("h3", {}, text));
  const best = page.mallocs[0];
  const smaller = page.smaller_malloc === "" ? "" : ` (${page.smaller_malloc} for less memory)`;
  if (page.malloc_first && best)
    cards.push(early(`${wayTo(best)}${smaller}: ${promiseOfMalloc(page)}`));
  if (page.objects === 0 && !page.sampled)
    cards.push(early("Nothing can be said: no object was seen"));
  if (page.leave_it)
    cards.push(
      early(
        `Leave ${page.malloc_first ? "the program's text" : "it"} as it is: no ` +
          "change was found that gains more than the noise of most measurements",
      ),
    );
  const large = page.advice.filter((line) => !isSmall(line));
  cards.push(...large.map((line) => lineOf(line, page.advice)));
  return [...cards, ...smallOf(page), ...orderOf(page)];
}
