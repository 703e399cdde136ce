// SPDX-License-Identifier: MIT
// Words on what the page draws. All other sentences are the terminal's, which come with its data.
import { counted, fixed } from "../words";
import type { AdvicePage } from "./data";

export function bytes(value: number): string {
  if (value < 10_000) return counted(value, "byte");
  if (value < 1_000_000) return `${fixed(value / 1024, 0)} KiB`;
  return `${fixed(value / 1048576, 1)} MiB`;
}

/** Ends a drawing's caption: what stands above the drawings is about all recordings. */
export function ofWhich({ recordings }: AdvicePage): string {
  return recordings > 1 ? ` Drawn of the first of ${counted(recordings, "recording")}.` : "";
}
