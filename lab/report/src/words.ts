// SPDX-License-Identifier: MIT
// Numbers as a reader wants them, and words as the terminal has them.
import type { Rounds } from "./data";

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const six = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** Rounded as the terminal's: what lies in the middle goes to the even digit, and not up. */
export function fixed(value: number, decimals: number): string {
  const shifted = value * 10 ** decimals;
  const inMiddle = Math.abs(shifted % 1) === 0.5 && Number.isInteger(value * 2 ** (decimals + 1));
  const rounded = inMiddle ? (2 * Math.round(shifted / 2)) / 10 ** decimals : value;
  return rounded.toFixed(decimals);
}

/** Three digits: 1.33, 21.5, 640, 12,300; below 1 at least two: 0.35, 0.0034. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value > 0 && value < 0.1) return value.toPrecision(2);
  if (value < 9.995) return fixed(value, 2);
  if (value < 99.95) return fixed(value, 1);
  return grouped.format(Number(fixed(value, 0)));
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
  return `${fixed(share * 100, 0)} %`;
}

export const roundsInWords: Record<Rounds, string> = {
  first: "first round",
  later: "later rounds",
};
