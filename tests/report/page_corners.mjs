// SPDX-License-Identifier: MIT
// What few reports have, and what a reader does with any, on a page that was given other data:
//   node page_corners.mjs PAGE CHROMIUM PLAYWRIGHT
// The page's file is overwritten.
import assert from "node:assert/strict";
import { browser, open_changed, texts } from "./changed_page.mjs";

const opened = (change) => open_changed(change, "details.suite");

// A suite of three rows, "a", "b" and "c", and one table of them.
function give_rows(data) {
  const [suite] = data.suites;
  data.suites = [suite];
  const [row] = suite.rows;
  suite.figures = [{ phase: "work", rounds: "first", whole: true, operations: 1 }];
  suite.rows = ["a", "b", "c"].map((title) => ({ ...row, title, figures: [[0, 1, 1, 1, 0, null]] }));
  const column = { header: "", group: "", best: false, exact_unit: "" };
  const columns = [column, { ...column, header: "ns", best: true, exact_unit: "times the first row" }];
  const cells = [["1.00", 1, true], ["2.00", 2, false, true], ["0.00", 0.00347, false]];
  const lines = cells.map((cell, i) => ({ rows: [i], cells: [suite.rows[i].title, cell] }));
  const table = { ...suite.tables[0], heading: "One", case: row.case, columns, lines };
  suite.tables = [table, { ...table, heading: "Another" }];
  return suite;
}

// As the terminal rounds, which takes what lies in the middle to the even digit; and of small figures two digits.
async function check_rounding() {
  const page = await opened((data) => {
    const suite = give_rows(data);
    suite.rows[0].figures = [[0, 0.125, 0.0347, 100.5, 0.125, 12.25]];
    suite.rows[1].page_faults = null;
  });
  const cells = await texts(page, "tr[data-row]:first-child td");
  assert.equal(cells[0], "0.12 ±12 %0.035 to 100; wall 12.2");
  assert.equal((await texts(page, "tr[data-row]:nth-child(2) td"))[2], "-", "no process ended, so no faults are told");
}

// A ratio is "about" where a noisy figure is in it; and what a figure is of is said where its column doesn't.
async function check_ratios() {
  const page = await opened(give_rows);
  const ratios = () => texts(page, ".shown-table:first-of-type .ratio");
  await page.selectOption("#baseline", "a");
  assert.deepEqual(await ratios(), [" ×1.00", " ~×2.00", " ×0.0035"]);
  await page.selectOption("#baseline", "b");
  assert.deepEqual(await ratios(), [" ~×0.50", " ~×1.00", " ~×0.0017"]);
  assert.equal(await page.locator("table.shown td").first().getAttribute("title"), "a; ns: 1 times the first row");
}

// The page begins anew when the reader comes back to it, and so must its form.
async function check_back() {
  const page = await opened(give_rows);
  await page.fill("#filter", "b");
  await page.selectOption("#baseline", "b");
  await page.check("#log");
  await page.goto("about:blank");
  await page.goBack();
  await page.waitForSelector("details.suite");
  const shown = await page.evaluate(() => [
    ...["filter", "baseline"].map((id) => document.getElementById(id).value),
    document.getElementById("log").checked,
    document.querySelectorAll("tr[hidden], .ratio").length,
  ]);
  assert.deepEqual(shown, ["", "", false, 0]);
}

// A letter in the filter hides lines, and draws nothing anew.
async function check_filter() {
  const page = await opened(give_rows);
  const drawn = await page.$$eval(".bar", (bars) => bars.map((bar) => { bar.dataset.kept = "yes"; }).length);
  await page.fill("#filter", "b");
  assert.equal(await page.locator("table.shown tbody tr:not([hidden])").count(), 2);
  assert.equal(await page.locator(".bar[data-kept]").count(), drawn);
  await page.check("#log");
  assert.equal(await page.locator(".bar[data-kept]").count(), 0, "another scale draws other bars");
}

// Paper has no controls, and says what was chosen with them.
async function check_paper() {
  const page = await opened((data) => {
    give_rows(data);
    data.problems = ["it, a: crashed"];
    const words = { differences: [], headers: [], lines: [], note: "", suites: [], sum: "One.", not_judged: [] };
    data.comparison = { ...words, unmatched: "1 row is in one of the files only.", unmatched_rows: ["it, z"] };
  });
  const chosen = page.locator(".paper-only");
  assert.equal(await chosen.count(), 1);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator("form.controls").isVisible()));
  assert.equal(await chosen.innerText(), "");
  assert.ok(await page.getByText("it, a: crashed").isVisible());
  await page.emulateMedia({ media: "screen" });
  await page.fill("#filter", "a");
  await page.selectOption("#baseline", "b");
  await page.check("#log");
  assert.ok(!(await chosen.isVisible()));
  await page.emulateMedia({ media: "print" });
  assert.equal(
    await chosen.innerText(),
    "The tables show only rows with “a”. ×: the figure divided by that of b. Bars are on a logarithmic scale.",
  );
  const folds = () => page.$$eval("details.unmatched, details.suite", (all) => all.map((fold) => fold.open));
  assert.deepEqual(await folds(), [false, true]);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.deepEqual(await folds(), [true, true]);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.deepEqual(await folds(), [false, true], "what the reader had open stays open");
}

// Whoever hears the page's links one after another can tell them apart.
async function check_links() {
  const page = await opened(give_rows);
  const names = await page.$$eval("caption a", (all) => all.map((link) => link.getAttribute("aria-label")));
  assert.deepEqual(names, ["every figure of One", "every figure of Another"]);
}

try {
  await check_rounding();
  await check_ratios();
  await check_back();
  await check_filter();
  await check_paper();
  await check_links();
} finally {
  await browser.close();
}
console.log("reports with other data: 1 passed, 0 failed");
