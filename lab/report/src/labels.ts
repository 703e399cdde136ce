// SPDX-License-Identifier: MIT
// Titles at the ends of curves.
import * as Plot from "@observablehq/plot";

export interface Point {
  title: string;
  side: string;
  x: number;
  y: number;
}

const line_pixels = 14;
const around_pixels = 60; // the chart's axes and margins

interface Scale {
  height: number;
  log: boolean;
  most?: number; // that the chart shows, where no curve goes so high
}

/** The ends of the curves, moved up or down where their titles would lie on each other; within what
 *  the chart shows, whose scale must not change by it. */
function apart(ends: Point[], all: Point[], scale: Scale): Point[] {
  const to = scale.log ? Math.log : (y: number) => y;
  const back = scale.log ? Math.exp : (y: number) => y;
  const values = [...all.map((p) => p.y), ...(scale.most ? [scale.most] : [])].map(to);
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

/** What lines from curves to their titles take, as a share of the width that the curves have. */
export function shareOfLeaders(width: number): number {
  const leader_pixels = 24;
  return leader_pixels / Math.max(width - leader_pixels, leader_pixels);
}

interface Leader {
  from: Point;
  to: Point; // where its title stands
}

/** A title for each curve beside the chart's right edge, which is beyond all curves, cut where the
 *  margin is too narrow for it; and a line to it from the curve's end, since titles make room for
 *  each other. */
export function titlesOf(
  points: Point[],
  edge: number,
  scale: Scale,
  margin: number,
  nameOf: (title: string) => string = (title) => title,
): Plot.Markish[] {
  const ends = endsOf(points);
  const leaders = apart(ends, points, scale).flatMap((to) => {
    const from = ends.find((end) => end.title === to.title);
    return from ? [{ from, to: { ...to, x: edge } }] : [];
  });
  const letter_pixels = 12;
  return [
    Plot.link(leaders, {
      x1: (l: Leader) => l.from.x,
      y1: (l: Leader) => l.from.y,
      x2: (l: Leader) => l.to.x,
      y2: (l: Leader) => l.to.y,
      stroke: (l: Leader) => `var(--${l.to.side}-line)`,
      strokeDasharray: "1 3",
    }),
    Plot.text(leaders, {
      x: (l: Leader) => l.to.x,
      y: (l: Leader) => l.to.y,
      text: (l: Leader) => nameOf(l.to.title),
      lineWidth: (margin - 8) / letter_pixels,
      textOverflow: "ellipsis",
      textAnchor: "start",
      dx: 6,
      fill: "var(--ink)",
    }),
  ];
}
