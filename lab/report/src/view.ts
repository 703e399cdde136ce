// SPDX-License-Identifier: MIT
// What the reader has chosen to see; whoever shows something is told when that changes.

export interface View {
  filter: string; // only rows with this in their title; lower case
  baseline: string; // the title of the row that the others are divided by; empty: none
  log: boolean; // bars on a logarithmic scale
}

type Listener = (view: View) => void;

const view: View = { filter: "", baseline: "", log: false };
const listeners: Listener[] = [];

export function whenViewChanges(listener: Listener): void {
  listeners.push(listener);
  listener(view);
}

export function changeView(change: Partial<View>): void {
  Object.assign(view, change);
  for (const listener of listeners) listener(view);
}
