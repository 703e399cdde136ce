// SPDX-License-Identifier: MIT
// The report in a real browser: node page.mjs PAGE RESULT.json CHROMIUM PLAYWRIGHT [SCREENSHOTS]
// It shows every row of the result, in light and dark, on a desk and on a phone and in print, without
// an error on the console, without a request, and so that a keyboard and a screen reader get along.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page_path, result_path, chromium_path, playwright_path, screenshots] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(playwright_path, "index.mjs")).href);
const result = JSON.parse(readFileSync(result_path, "utf8"));
const address = pathToFileURL(resolve(page_path)).href;

function rowsOf(result) {
  const title = (row) => (row.by_allocator ? `${row.subject} (${row.allocator})` : row.subject);
  return result.suites.flatMap((suite) =>
    suite.rows.map((row) => `${suite.name}/${row.case}/${title(row)}`),
  );
}

async function check_rows(page) {
  const shown = await page.$$eval("tr[data-row]", (lines) => lines.map((l) => l.dataset.row));
  assert.deepEqual(shown.sort(), rowsOf(result).sort(), "the tables' rows are the result's");
  for (const suite of result.suites)
    assert.ok((await page.locator("#short").innerText()).includes(suite.conclusion));
  const figures = result.suites.flatMap((suite) => suite.rows).filter((row) => row.figures.length);
  const cells = await page.$$eval("tr[data-row] td", (all) => all.map((td) => td.innerText));
  assert.ok(cells.length >= figures.length * 6, "every row has its figures");
  assert.ok(!cells.some((text) => /NaN|undefined|null/.test(text)), "no cell is broken");
}

async function check_charts(page) {
  const charts = await page.$$eval("svg[role=img]", (all) =>
    all.map((svg) => ({ label: svg.getAttribute("aria-label"), marks: svg.querySelectorAll("rect, path, circle").length })),
  );
  assert.ok(charts.length >= result.suites.length, "every suite has a chart");
  for (const chart of charts) {
    assert.ok(chart.label?.length > 20, "a chart says what it shows");
    assert.ok(chart.marks > 0, `nothing is drawn in: ${chart.label}`);
  }
  assert.equal(await page.locator("svg [x='NaN'], svg [width='NaN'], svg [d*='NaN']").count(), 0);
}

// What a screen reader goes by: one h1, no level skipped, named regions, tables with captions.
async function check_structure(page) {
  const levels = await page.$$eval("h1, h2, h3", (all) => all.map((e) => Number(e.tagName[1])));
  assert.equal(levels.filter((level) => level === 1).length, 1);
  levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1));
  assert.equal(await page.locator("table:not(:has(caption))").count(), 0);
  assert.equal(await page.locator("th:not([scope])").count(), 0);
  assert.equal(await page.getAttribute("html", "lang"), "en");
  const broken = await page.$$eval("a[href^='#']", (links) =>
    links.filter((a) => !document.getElementById(a.getAttribute("href").slice(1))).length,
  );
  assert.equal(broken, 0, "every link on the page leads somewhere");
}

// The first stop is the way to the results, and tables can be scrolled without a mouse.
async function check_keyboard(page) {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "report");
  assert.equal(await page.locator(".scrolled:not([tabindex='0'])").count(), 0);
}

async function check_contrast(page) {
  const ratio = await page.evaluate(() => {
    const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const luminance = (color) => {
      const [r, g, b] = color.match(/[\d.]+/g).map((v) => channel(Number(v) / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = luminance(getComputedStyle(document.body).backgroundColor);
    const against = [document.body, ...document.querySelectorAll("a, figcaption, caption, dt")];
    return Math.min(...against.map((e) => {
      const ink = luminance(getComputedStyle(e).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    }));
  });
  assert.ok(ratio >= 4.5, `text has a contrast of ${ratio.toFixed(2)} only`);
}

// Two frames are drawn after the scripts have run: what they ask for is asked for, what they say is said.
function settled() {
  return document.fonts.ready.then(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

const kinds = [
  { name: "light", width: 1280, height: 900, colorScheme: "light" },
  { name: "dark", width: 1280, height: 900, colorScheme: "dark" },
  { name: "phone", width: 390, height: 844, colorScheme: "light" },
];

const browser = await chromium.launch({
  executablePath: chromium_path,
  timeout: 0, // here and below: how long it may take is the test runner's to say
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  for (const { name, width, height, colorScheme } of kinds) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    const problems = [];
    page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (request.url() !== address && !request.url().startsWith("data:"))
        problems.push(`a request for ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector("svg[role=img]");
    await page.evaluate(settled);
    await check_rows(page);
    await check_charts(page);
    await check_structure(page);
    await check_contrast(page);
    await check_keyboard(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `on ${name} the page is ${wider} pixels too wide`);
    if (screenshots) {
      mkdirSync(screenshots, { recursive: true });
      await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
      await page.screenshot({ path: `${screenshots}/${name}.png` });
      await page.screenshot({ path: `${screenshots}/${name}-whole.png`, fullPage: true });
      if (name === "light") await page.pdf({ path: `${screenshots}/print.pdf`, format: "A4" });
    }
    assert.deepEqual(problems, [], `on ${name}`);
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(`${rowsOf(result).length} rows shown, light, dark and on a phone: 1 passed, 0 failed`);
