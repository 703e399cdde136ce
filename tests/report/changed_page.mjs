// SPDX-License-Identifier: MIT
// A page that is opened after its data was changed. The page's file is overwritten.
//   node TEST PAGE CHROMIUM PLAYWRIGHT
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page_path, chromium_path, playwright_path] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(playwright_path, "index.mjs")).href);
const html = readFileSync(page_path, "utf8");
const begin_of_data = '<script type="application/json" id="result">';
const begin = html.indexOf(begin_of_data) + begin_of_data.length;
const end = html.indexOf("</script>", begin);

export const browser = await chromium.launch({
  executablePath: chromium_path,
  timeout: 0, // here and below: how long it may take is the test runner's to say
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

// Opens the page after `change` has changed its data, and waits until it has what is looked for.
export async function open_changed(change, looked_for) {
  const data = JSON.parse(html.slice(begin, end));
  change(data);
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  writeFileSync(page_path, html.slice(0, begin) + text + html.slice(end));
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  page.on("pageerror", (error) => assert.fail(String(error)));
  await page.goto(pathToFileURL(resolve(page_path)).href);
  await page.waitForSelector(looked_for);
  return page;
}

export const texts = (page, what) => page.$$eval(what, (all) => all.map((e) => e.textContent));
