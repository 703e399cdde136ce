// SPDX-License-Identifier: MIT
// What few pages of toft advise have, on a page that was given other data:
//   node advice_corners.mjs PAGE CHROMIUM PLAYWRIGHT
// The page's file is overwritten.
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

const browser = await chromium.launch({
  executablePath: chromium_path,
  timeout: 0, // here and below: how long it may take is the test runner's to say
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

// Opens the page after `change` has changed its data.
async function opened(change) {
  const data = JSON.parse(html.slice(begin, end));
  change(data);
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  writeFileSync(page_path, html.slice(0, begin) + text + html.slice(end));
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(pathToFileURL(resolve(page_path)).href);
  await page.waitForSelector("#advice");
  assert.deepEqual(problems, []);
  return page;
}

const texts = (page, what) => page.$$eval(what, (all) => all.map((e) => e.textContent));
const range = (low, high) => ({ low, high });
const zero = range(0, 0);

// The lines that make objects beyond those that are told have a table of their own.
async function check_many_makers() {
  const page = await opened(({ advice }) => {
    const [made] = advice[0].made;
    advice[0].made = Array.from({ length: 8 }, (_, i) => ({ ...made, by: { ...made.by, line: i + 1 } }));
  });
  const tables = page.locator(".line").first().locator("table");
  assert.equal(await tables.count(), 2);
  for (let i = 0; i < 2; i++)
    assert.equal((await tables.nth(i).locator("thead th").allTextContents()).join(), "made by,objects,size,in all");
  const aligned = await page.$$eval(".line td", (all) => all.map((td) => getComputedStyle(td).textAlign));
  assert.ok(aligned.length > 0 && aligned.every((side) => side === "right"), "figures end below each other");
}

// As in the terminal, a line that is hardly worth a change comes last, and is a headline until it is asked for.
async function check_small() {
  const page = await opened((data) => {
    const unmeasured = { ...data.advice[0], peak_percent: zero, replayed: null, left_out: null };
    const small = { ...unmeasured, number: 1, cpu_percent: range(0, 0.5) };
    const large = { ...small, number: 2, what: "arena", cpu_percent: range(5, 9) };
    data.advice = [small, large];
    data.leave_it = data.malloc_first = false;
  });
  const heads = await texts(page, "#advice h3");
  assert.equal(heads.length, 2);
  assert.match(heads[0], /^2\. /);
  assert.equal(heads[1], "Hardly worth a change");
  const [summary] = await texts(page, "#advice h3 ~ details.small > summary");
  assert.match(summary, /^1\. .*: CPU time 0\.0 to 0\.5 % less$/);
  assert.ok(!(await page.locator("details.small table").first().isVisible()));
}

async function check_mallocs() {
  const page = await opened((data) => {
    const malloc = { name: "quick", setting: "", cpu_percent: range(20, 30), peak_percent: zero, measured: true };
    data.mallocs = [malloc, { ...malloc, name: "set", setting: "A=1" }];
    data.malloc_first = data.malloc_beyond_all = true;
    data.smaller_malloc = "lean";
  });
  const [head] = await texts(page, "#advice h3");
  assert.equal(head, "Link quick (lean for less memory): that alone promises more than any change that was found");
  assert.deepEqual(await texts(page, "#mallocs tbody th"), ["quick", "setRun it with A=1"]);
}

// What casts doubt on advice is a warning, and what was done is a note below it.
async function check_remarks() {
  const page = await opened((data) => {
    data.remarks = ["Look at `this`."];
    data.notes = ["Recorded into x.toft, which `toft verify` takes."];
    data.advice = [{ ...data.advice[0], number: 2 }, { ...data.advice[0], number: 1 }];
  });
  assert.deepEqual(await texts(page, "#advice p.warning"), ["Look at this."]);
  assert.deepEqual(await texts(page, "#advice .line ~ p.note"), [
    "Replays have changed the order, but not the numbers, which toft verify takes.",
    "Recorded into x.toft, which toft verify takes.",
  ]);
  assert.deepEqual(await texts(page, "#advice p code"), ["this", "toft verify", "toft verify"]);
}

async function check_nothing() {
  const page = await opened((data) => {
    Object.assign(data, { objects: 0, advice: [], mallocs: [], malloc_first: false, leave_it: false });
    Object.assign(data, { makers: [], all_makers: 0, curves: [], live_bytes: [], regions: [] });
    data.calls.children = [];
  });
  assert.deepEqual(await texts(page, "#advice h3"), ["Nothing can be said: no object was seen"]);
  assert.deepEqual(await texts(page, "h2"), ["Advice"]);
  assert.equal(await page.locator("svg, nav").count(), 0, "there is nothing to draw");
}

// As tests/lab/place_text_test.cpp has them.
async function check_sizes() {
  const sizes = [
    [1, "1 byte"], [4096, "4,096 bytes"], [10_752, "10 KiB"], [11_776, "12 KiB"], [312_300, "305 KiB"],
    [1_310_720, "1.2 MiB"], [1_835_008, "1.8 MiB"], [4_445_000, "4.2 MiB"], [156_027_000, "148.8 MiB"],
  ];
  for (const [value, words] of sizes) {
    const page = await opened((data) => { data.peak_live_bytes = value; });
    assert.ok((await page.locator("header p").textContent()).includes(`, ${words} at the peak`), words);
    await page.close();
  }
}

// How wide the frames are is chosen anew when the reader comes back, and said on paper.
async function check_measure() {
  const page = await opened(() => {});
  await page.check("input[value=byte_seconds]");
  await page.emulateMedia({ media: "print" });
  const words = await page.locator("figure.calls fieldset").innerText();
  assert.match(words, /by lifetime/);
  assert.doesNotMatch(words, /by bytes/);
  await page.goto("about:blank");
  await page.goBack();
  await page.waitForSelector(".flames");
  assert.ok(await page.isChecked("input[value=bytes]"));
}

try {
  await check_measure();
  await check_many_makers();
  await check_small();
  await check_mallocs();
  await check_remarks();
  await check_nothing();
  await check_sizes();
} finally {
  await browser.close();
}
console.log("pages of advice with other data: 1 passed, 0 failed");
