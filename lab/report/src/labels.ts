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

/** The ends of the curves, moved up or down where their titles would lie on each other; within what
 *  the chart shows, whose scale must not change by it. */
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
  const sorted = [...ends].sort((a, b) => a.y - b.y);
  const heights: number[] = [];
  for (const end of sorted)
    heights.push(Math.max(to(end.y), (heights.at(-1) ?? -Infinity) + least));
  let highest = Math.max(...values);
  for (let i = heights.length; i-- > 0; highest -= least) {
    highest = Math.min(highest, heights[i] ?? highest);
    heights[i] = highest;
  }
  return sorted.map((end, i) => ({ ...end, y: back(heights[i] ?? to(end.y)) }));
}

/** The last point of each curve. */
export function endsOf(points: Point[]): Point[] {
  const ends = new Map<string, Point>();
  for (const p of points) if (p.x >= (ends.get(p.title)?.x ?? p.x)) ends.set(p.title, p);
  return [...ends.values()];
}

/** The room that titles have beside a chart: as wide as the longest, but never half of the chart. */
export function titleMargin(titles: string[], width: number): number {
  const longest = Math.max(...titles.map((title) => title.length), 8);
  return Math.min(longest * 6.4 + 16, width * 0.45);
}

/** How a title is written beside a chart's right edge, cut where the margin is too narrow for it. */
export function titleStyle(margin: number): { lineWidth: number; textOverflow: "ellipsis" } {
  const letter_pixels = 12;
  return { lineWidth: (margin - 8) / letter_pixels, textOverflow: "ellipsis" };
}
