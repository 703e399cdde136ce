// SPDX-License-Identifier: MIT
// Sizes of what the page draws. All sentences are the terminal's, which come with the page's data.
import { counted, fixed } from "../words";

export function bytes(value: number): string {
  if (value < 10_000) return counted(value, "byte");
  if (value < 1_000_000) return `${fixed(value / 1024, 0)} KiB`;
  return `${fixed(value / 1048576, 1)} MiB`;
}
