// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

function packagesOf(moduleIds: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const id of moduleIds) {
    const found = id.replace("\0", "").match(/^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (found?.[1]) folders.add(found[1]);
  }
  return [...folders].sort();
}

function licenceOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return `${name} (${license})\n\n${text}`;
}

/** What others wrote and the page carries, with their licences, as a comment at its end. */
export function licences(): Plugin {
  return {
    name: "licences",
    enforce: "post",
    transformIndexHtml: {
      order: "post",
      handler(html, context) {
        const ids = Object.values(context.bundle ?? {}).flatMap((chunk) =>
          chunk.type === "chunk" ? Object.keys(chunk.modules) : [],
        );
        const texts = packagesOf(ids).map(licenceOf).join("\n\n----\n\n").replaceAll("--", "- -");
        return `${html}\n<!--\nThis page contains:\n\n${texts}\n-->\n`;
      },
    },
  };
}
