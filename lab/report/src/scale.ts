// SPDX-License-Identifier: MIT
// How long a bar is.

export interface Scale {
  /** From 0 to 1. */
  length: (value: number) => number;
  /** Whether the bar ends before its value does. */
  isCut: (value: number) => boolean;
}

/** One row of a hundred times would flatten the rest, so bars beyond the limit end there. */
function limitOf(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  const most = sorted.at(-1) ?? 0;
  return most > 6 * middle ? 4 * middle : most;
}

/** The logarithmic one begins at the power of ten below the least. */
export function scaleOf(all: number[], log: boolean): Scale {
  const values = all.filter((value) => value > 0);
  const most = Math.max(...values, Number.MIN_VALUE);
  if (log) {
    const least = 10 ** Math.floor(Math.log10(Math.min(...values, most)));
    const span = Math.log(most / least) || 1;
    const length = (value: number) => (value > 0 ? Math.max(0, Math.log(value / least)) / span : 0);
    return { length, isCut: () => false };
  }
  const limit = limitOf(values) || most;
  return {
    length: (value) => Math.min(1, Math.max(0, value / limit)),
    isCut: (value) => value > limit,
  };
}
