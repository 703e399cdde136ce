// SPDX-License-Identifier: MIT
// Numbers as a reader wants them, and words as the terminal has them.
import type { Rounds } from "./data";

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const six = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** Three digits: 1.33, 21.5, 640, 12,300. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value < 9.995) return value.toFixed(2);
  if (value < 99.95) return value.toFixed(1);
  return grouped.format(value);
}

/** All digits that the page has: six. */
export function exact(value: number): string {
  return six.format(value);
}

export function count(value: number): string {
  return Number.isFinite(value) ? grouped.format(value) : "–";
}

/** "1 CPU", "2 CPUs" */
export function counted(value: number, noun: string, several = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : several}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

export const roundsInWords: Record<Rounds, string> = {
  first: "first round",
  later: "later rounds",
};
