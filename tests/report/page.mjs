// SPDX-License-Identifier: MIT
// The report in a real browser:
//   node page.mjs PAGE RESULT.json CHROMIUM PLAYWRIGHT [TERMINAL.txt [SCREENSHOTS]]
// It shows every row of the result, in light and dark, on a desk and on a phone and in print, without
// an error on the console, without a request, and so that a keyboard and a screen reader get along.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check_csv, check_details, check_ratios, title_of } from "./page_figures.mjs";

const [page_path, result_path, chromium_path, playwright_path, terminal_path, screenshots] =
  process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(playwright_path, "index.mjs")).href);
const result = JSON.parse(readFileSync(result_path, "utf8"));
const address = pathToFileURL(resolve(page_path)).href;

const bytes_at_most = 1_000_000;
const whole_bench = Number(process.env.TOFT_PAGE_IS_WHOLE_BENCH ?? 0);
const squeezed = (text) => text.replace(/\s+/g, " ").trim();

function rowsOf(result) {
  return result.suites.flatMap((suite) =>
    suite.rows.map((row) => `${suite.name}/${row.case}/${title_of(row)}`),
  );
}

async function check_rows(page) {
  const shown = await page.$$eval("tr[data-row]", (lines) => lines.map((l) => l.dataset.row));
  assert.deepEqual(shown.sort(), rowsOf(result).sort(), "the tables' rows are the result's");
  for (const suite of result.suites)
    assert.ok((await page.locator("#short").textContent()).includes(suite.conclusion));
  const figures = result.suites.flatMap((suite) => suite.rows).filter((row) => row.figures.length);
  const cells = await page.$$eval("tr[data-row] td", (all) => all.map((td) => td.textContent));
  assert.ok(cells.length >= figures.length * 5, "every row has its figures");
  assert.ok(!cells.some((text) => /NaN|undefined|null/.test(text)), "no cell is broken");
}

// A row that an interrupt came before hasn't failed.
const is_unmeasured = (row) =>
  row.verdict === "failed" && row.samples.length === 0 && row.problem === "";
const badge_of = (row) => (is_unmeasured(row) ? "not measured" : row.verdict);

// The page is small, since it has figures and no samples; each suite's verdict stands beside its
// name, and each row's beside its own.
async function check_contents(page) {
  const bytes = readFileSync(page_path).length;
  assert.ok(bytes < bytes_at_most, `the page has ${bytes} bytes`);
  assert.ok(!readFileSync(page_path, "utf8").includes('"process_cpu_ns"'), "it has no samples");
  for (const suite of result.suites) {
    const summary = await page.locator(`[id="${suite.name}"] > summary`).textContent();
    assert.ok(summary.startsWith(suite.name) && summary.includes(suite.conclusion));
    for (const row of suite.rows) {
      const name = `tr[data-row=${JSON.stringify(`${suite.name}/${row.case}/${title_of(row)}`)}] th`;
      const badge = page.locator(`${name} .badge`);
      assert.equal(await badge.count(), row.verdict === "sound" ? 0 : 1, name);
      if (row.verdict !== "sound") assert.equal(await badge.first().textContent(), badge_of(row));
      if (row.problem) assert.ok((await page.locator(name).textContent()).includes(row.problem));
      if (whole_bench) break; // of so many rows, the first of each suite will do
    }
  }
}

// The headings, the columns and the cells of the terminal's tables stand on the page.
async function check_words(page) {
  if (!terminal_path) return;
  const printed = squeezed(readFileSync(terminal_path, "utf8"));
  const headings = await page.$$eval("table.shown caption .heading", (all) =>
    all.map((e) => e.firstChild.textContent),
  );
  assert.ok(headings.length > 0);
  for (const heading of headings) assert.ok(printed.includes(squeezed(heading)), heading);
  const lines = await page.$$eval("table.shown tbody tr", (all) =>
    all.map((tr) => [tr.dataset.title, ...[...tr.cells].slice(1).map((td) => td.textContent)]),
  );
  for (const line of lines) assert.ok(printed.includes(squeezed(line.join(" "))), line.join(" "));
}

// What doesn't compete is a yardstick: some allocator may have beaten it, so it isn't called a limit.
async function check_legend(page) {
  const legends = (await page.locator("ul.legend").allTextContents()).join(" ");
  const any = result.suites.some((suite) => suite.rows.some((row) => !row.competes));
  assert.equal(legends.includes("yardstick"), any);
  assert.ok(!legends.includes("limit"));
}

// Folded but for the first; a link to a case opens what it is in.
async function check_folds(page) {
  const open = await page.$$eval("details.suite", (all) => all.map((suite) => suite.open));
  assert.deepEqual(open, open.map((_, i) => i === 0), "the first suite is open, and no other");
  const suite = result.suites.at(-1);
  const id = `${suite.name}/${suite.rows[0].case}`;
  await page.evaluate((hash) => { location.hash = hash; }, `#${encodeURIComponent(id)}`);
  await page.waitForFunction((wanted) => document.getElementById(wanted).open, id);
  assert.ok(await page.evaluate((name) => document.getElementById(name).open, suite.name));
  // The same link once more; and what stands on top of the page hides nothing that a link leads to.
  const link = page.locator(`nav a[href="#${encodeURIComponent(suite.name)}"]`);
  for (let i = 0; i < 2; i++) {
    await link.click();
    await page.waitForFunction((name) => document.getElementById(name).open, suite.name);
    await page.evaluate((name) => { document.getElementById(name).open = false; }, suite.name);
  }
  await page.locator("nav a[href='#method']").click();
  const hidden = await page.evaluate(() => {
    const top = document.getElementById("method").getBoundingClientRect().top;
    const controls = document.querySelector(".controls");
    const box = controls.getBoundingClientRect();
    return getComputedStyle(controls).position === "sticky" && top < box.bottom && top > box.top;
  });
  assert.ok(!hidden, "the controls cover what a link leads to");
  await page.evaluate((name) => { document.getElementById(name).open = true; }, suite.name);
}

const numbers_of = (page, column) =>
  page.$$eval(`[id="${result.suites[0].name}"] .shown-table:first-of-type tbody tr`, (lines, at) =>
    lines.map((tr) => tr.cells[at].dataset.sort).filter((v) => v).map(Number), column);

// Sort, hover, filter, baseline and scale, on the first table of the first suite.
async function check_controls(page) {
  const table = page.locator("table.shown").first();
  const before = await numbers_of(page, 1);
  const header = table.locator("thead tr:last-child th").nth(1);
  await header.locator("button").click();
  assert.equal(await header.getAttribute("aria-sort"), "ascending");
  assert.deepEqual(await numbers_of(page, 1), [...before].sort((a, b) => a - b));
  await header.locator("button").click();
  assert.deepEqual(await numbers_of(page, 1), [...before].sort((a, b) => b - a));
  await header.locator("button").click();
  assert.deepEqual(await numbers_of(page, 1), before, "the third click brings back the first order");

  const cell = table.locator("tbody td[title]").first();
  const exact = Number(await cell.getAttribute("data-sort"));
  const hover = await cell.getAttribute("title");
  assert.ok(hover.includes(new Intl.NumberFormat("en", { maximumSignificantDigits: 6 }).format(exact)));

  const widths = () => page.$$eval("table.shown .bar", (all) => all.map((bar) => bar.style.width));
  const linear = await widths();
  await page.check("#log");
  if (linear.length > 1) assert.notDeepEqual(await widths(), linear, "the scale changes the bars");
  await page.uncheck("#log");
  assert.deepEqual(await widths(), linear);

  const title = await table.locator("tbody tr").first().getAttribute("data-title");
  await page.selectOption("#baseline", title);
  const ratios = await table.locator("tbody tr").first().locator(".ratio").allTextContents();
  if (linear.length > 0) assert.ok(ratios.length > 0 && ratios.every((text) => /^ ~?×1.00$/.test(text)));
  await page.selectOption("#baseline", "");
  assert.equal(await page.locator(".ratio").count(), 0);

  await page.fill("#filter", title.toUpperCase());
  const left = await page.$$eval("tr[data-title]:not([hidden])", (all) => all.map((tr) => tr.dataset.title));
  assert.ok(left.length > 0 && left.every((text) => text.toLowerCase().includes(title.toLowerCase())));
  await page.fill("#filter", "no row has such a name");
  assert.match(await page.locator("output").textContent(), /^0 of [\d,]+ rows?$/);
  await page.fill("#filter", "");
  assert.equal(await page.locator("output").textContent(), "");
  assert.equal(await page.locator("tr[data-title][hidden]").count(), 0);
}

// What a filter names by a row's full name is found in the tables too, whose lines have shorter ones.
async function check_filter(page) {
  const row = result.suites[0].rows.find((r) => r.samples.length > 0);
  if (!row) return;
  await page.fill("#filter", title_of(row));
  const found = (lines) => lines.filter((tr) => !tr.hidden).length;
  assert.ok((await page.$$eval("table.shown tbody tr", found)) > 0, title_of(row));
  await page.fill("#filter", "");
}

// Columns of words sort by the number in them.
async function check_spread_sort(page) {
  const heads = page.locator("table.shown").first().locator("thead tr:last-child th");
  const at = (await heads.allTextContents()).indexOf("±");
  if (at < 0) return;
  await heads.nth(at).locator("button").click();
  const shown = await page.$$eval("table.shown", ([first], column) =>
    [...first.tBodies[0].rows].map((tr) => Number.parseFloat(tr.cells[column].textContent)), at);
  const known = shown.filter((value) => !Number.isNaN(value));
  assert.deepEqual(known, [...known].sort((a, b) => a - b));
  for (let i = 0; i < 2; i++) await heads.nth(at).locator("button").click();
}

// A comparison is told in the terminal's words; rows that only one of the two results has are named.
async function check_changes(page) {
  const listed = await page.$$eval("#changes .unmatched li", (all) => all.map((e) => e.textContent));
  assert.deepEqual(listed, result.comparison?.unmatched ?? []);
  if (!terminal_path || !result.comparison) return;
  const printed = squeezed(readFileSync(terminal_path, "utf8"));
  const said = await page.$$eval("#changes p, #changes summary", (all) => all.map((e) => e.textContent));
  said.push(...(await page.$$eval("#changes tr", (all) =>
    all.map((tr) => [...tr.cells].map((cell) => cell.textContent).join(" ")))));
  assert.ok(said.length > 3, "there is something to read");
  for (const words of said) assert.ok(printed.includes(squeezed(words)), words);
}

// What failed and what must be known of a row is seen without a mouse.
async function check_problems(page) {
  const told = (await page.$$eval("#short li, #short p.warning", (all) => all.map((e) => e.innerText))).join("\n");
  for (const row of result.suites.flatMap((suite) => suite.rows))
    for (const words of [row.problem, row.remark]) assert.ok(told.includes(words), words);
}

// A long name stays in its column, and off the figures.
async function check_names(page) {
  const cut = await page.$$eval("tbody th", (all) =>
    all.filter((th) => th.scrollWidth > th.clientWidth + 1).map((th) => th.textContent));
  assert.deepEqual(cut, [], "names run over what is beside them");
}

// On paper: every suite is there, a page or two each, or a page for 80 rows, and no table is wider
// than the page. How many lines of remarks stand below the tables depends on what was measured.
async function check_paper(page) {
  const paper = await page.pdf({ format: "A4", preferCSSPageSize: false });
  const pages = paper.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length;
  const others = 2; // what comes before the suites, and the method
  const at_most = result.suites.map((suite) => Math.max(2, Math.ceil(suite.rows.length / 80)));
  assert.ok(pages <= at_most.reduce((sum, each) => sum + each, others), `${pages} pages`);
  const a4_less_margins = Math.floor(((210 - 20) / 25.4) * 96);
  await page.setViewportSize({ width: a4_less_margins, height: 1000 });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const cut = await page.$$eval("table.shown", (all, width) =>
    all.filter((t) => t.getBoundingClientRect().right > width + 1).map((t) => t.textContent.slice(0, 60)),
  a4_less_margins);
  assert.deepEqual(cut, [], "no column is cut");
  const hidden = await page.$$eval("details.suite", (all) =>
    all.filter((suite) => suite.querySelector("table, p").getBoundingClientRect().height === 0).length);
  assert.equal(hidden, 0, "every suite is printed");
}

// Bars and curves stand out against what they lie on, as the style's variables say.
async function check_bars(page) {
  const ratios = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const luminance = (name) => {
      const color = style.getPropertyValue(name).trim();
      const [r, g, b] = [1, 3, 5].map((at) => channel(Number.parseInt(color.slice(at, at + 2), 16) / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const on_paper = ["toft", "other", "yardstick", "toft-line", "other-line", "yardstick-line"];
    const pairs = on_paper.map((name) => [`--${name}`, "--paper"]);
    pairs.push(["--toft", "--toft-row"], ["--ink", "--toft-row"]);
    return pairs.map(([a, b]) => [`${a} on ${b}`, contrast(luminance(a), luminance(b))]);
  });
  for (const [pair, ratio] of ratios) assert.ok(ratio >= 3, `${pair}: ${ratio.toFixed(2)}`);
}

// Whatever is drawn has marks, says what it shows, and has no broken number; where memory was
// watched, there is a curve of it.
async function check_charts(page) {
  const charts = await page.$$eval("svg[role=img]", (all) =>
    all.map((svg) => ({ label: svg.getAttribute("aria-label"), marks: svg.querySelectorAll("rect, path, circle").length })),
  );
  for (const chart of charts) {
    assert.ok(chart.label?.length > 20, "a chart says what it shows");
    assert.ok(chart.marks > 0, `nothing is drawn in: ${chart.label}`);
  }
  const curves = await page.$$eval("figure.chart svg", (all) =>
    all.map((svg) => [
      svg.querySelectorAll("[aria-label=link] path").length,
      [...svg.querySelectorAll("[aria-label=text]")].at(-1).querySelectorAll("text").length,
    ]),
  );
  for (const [lines, titles] of curves)
    assert.ok(titles > 0 && lines === titles, "a line leads from each curve to its title");
  const cut = await page.$$eval("figure.chart svg", (all) =>
    all.filter((svg) => getComputedStyle(svg).overflow !== "visible").length);
  assert.equal(cut, 0, "the foot of an axis' label is seen");
  assert.equal(await page.locator("svg [x='NaN'], svg [width='NaN'], svg [d*='NaN']").count(), 0);
  const watched = new Set();
  for (const suite of result.suites)
    for (const row of suite.rows)
      if (row.samples.some((sample) => sample.resident.length > 1)) watched.add(`${suite.name}/${row.case}`);
  assert.equal(await page.locator("figure.memory svg[role=img]").count(), watched.size);
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
    links.filter((a) => !document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1)))).length,
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
      if (!request.url().startsWith(address) && !request.url().startsWith("blob:") &&
          !request.url().startsWith("data:"))
        problems.push(`a request for ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector("details.suite");
    await page.evaluate(settled);
    await check_rows(page);
    await check_charts(page);
    await check_structure(page);
    await check_contrast(page);
    await check_bars(page);
    await check_keyboard(page);
    await check_names(page);
    await check_changes(page);
    await check_problems(page);
    if (name === "light") {
      await check_contents(page);
      await check_words(page);
      await check_legend(page);
      await check_controls(page);
      await check_filter(page);
      await check_spread_sort(page);
      await check_csv(page, result);
      await check_details(page, result);
      await check_ratios(page);
    }
    await check_folds(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `on ${name} the page is ${wider} pixels too wide`);
    if (screenshots) {
      mkdirSync(screenshots, { recursive: true });
      await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
      await page.screenshot({ path: `${screenshots}/${name}.png` });
      await page.screenshot({ path: `${screenshots}/${name}-whole.png`, fullPage: true });
      if (name === "light") await page.pdf({ path: `${screenshots}/print.pdf`, format: "A4" });
    }
    if (name === "light") await check_paper(page);
    assert.deepEqual(problems, [], `on ${name}`);
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(`${rowsOf(result).length} rows shown, light, dark and on a phone: 1 passed, 0 failed`);
