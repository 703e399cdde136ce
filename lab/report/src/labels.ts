// SPDX-License-Identifier: MIT
// Titles at the ends of curves.

export interface Point {
  title: string;
  side: string;
  x: number;
  y: number;
}

const line_pixels = 14;
const around_pixels = 60; // the chart's axes and margins

/** The ends of the curves, moved up where their titles would lie on each other. */
export function apart(
  ends: Point[],
  all: Point[],
  scale: { height: number; log: boolean },
): Point[] {
  const to = scale.log ? Math.log : (y: number) => y;
  const back = scale.log ? Math.exp : (y: number) => y;
  const values = all.map((p) => to(p.y));
  const least_value = scale.log ? Math.min(...values) : 0;
  const span = Math.max(...values) - least_value || 1;
  const least = (span * line_pixels) / (scale.height - around_pixels);
  let free = Number.NEGATIVE_INFINITY;
  return [...ends]
    .sort((a, b) => a.y - b.y)
    .map((end) => {
      const at = Math.max(to(end.y), free);
      free = at + least;
      return { ...end, y: back(at) };
    });
}
