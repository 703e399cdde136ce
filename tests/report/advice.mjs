// SPDX-License-Identifier: MIT
// The page of toft advise in a real browser:
//   node advice.mjs PAGE ADVICE.json ADVICE.txt CHROMIUM PLAYWRIGHT [SCREENSHOTS]
// It shows every piece of advice with its evidence in the words of the terminal, a flame graph by bytes and by
// lifetime, memory over time and the regions as bands; in light and dark, on a desk, a phone and paper; without an
// error on the console and without a request. advice_corners.mjs looks at what few pages have.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page_path, advice_path, text_path, chromium_path, playwright_path, screenshots] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(playwright_path, "index.mjs")).href);
const advice = JSON.parse(readFileSync(advice_path, "utf8"));
const words_of = (text) => text.replaceAll("`", "").replace(/\s+/g, " ").trim(); // on the page, what is typed is code
const printed = readFileSync(text_path, "utf8");
const terminal = words_of(printed);

// What the terminal says in sentences. Lists and code are indented further, and other mallocs stand in a table.
function sentences_of_terminal() {
  const paragraphs = [];
  let last = "";
  for (const line of printed.replace(`${advice.program}: `, "").split("\n")) {
    const indent = line.match(/^ *(?=.)/)?.[0].length;
    if (indent === last) paragraphs.push(`${paragraphs.pop()} ${line}`);
    else if (indent < 6) paragraphs.push(line);
    last = indent < 6 ? indent : "";
  }
  return paragraphs.flatMap((text) => words_of(text).split(/(?<=\.) (?=[A-Z])/)).filter((text) => !/^CPU time under/.test(text));
}

const address = pathToFileURL(resolve(page_path)).href;

async function check_advice(page) {
  const cards = await page.$$eval("article.line[data-what] > h3, details.small > summary", (all) => all.map((e) => e.textContent));
  const numbers = cards.map((words) => Number.parseInt(words, 10));
  const small = new Set(
    await page.$$eval("details.small > summary", (all) => all.map((e) => Number.parseInt(e.textContent, 10))),
  );
  const isSmall = (line) => small.has(line.number);
  const inOrder = [...advice.advice.filter((line) => !isSmall(line)), ...advice.advice.filter(isSmall)];
  assert.deepEqual(numbers, inOrder.map((line) => line.number), "what is hardly worth a change comes last");
  for (const table of await page.locator(".line table").all())
    assert.equal(await table.locator("thead th").count(), 4, "a table of makers has its headers");
  const text = await page.locator("#advice").textContent();
  assert.ok(!/NaN|undefined|null/.test(text), "no words are broken");
  for (const line of advice.advice) {
    if (line.scope.function) assert.ok(text.includes(line.scope.function), line.scope.function);
    for (const made of line.made) assert.ok(text.includes(made.by.function), made.by.function);
    if (line.sketch) assert.ok(text.includes(line.sketch), line.sketch);
  }
  // The page says what the terminal says, and nothing else, but that it folds away what the terminal leaves out.
  const said = await page.$$eval("header p, :is(#advice, #mallocs) :is(h3, p, li, summary), #advice .way", (all) =>
    all.filter((e) => !e.closest(".more") && !e.matches(".small :not(summary)")).map((e) => e.textContent),
  );
  for (const words of said.map(words_of)) assert.ok(terminal.includes(words), `the terminal doesn't say: ${words}`);
  const whole = said.map(words_of).join(" ");
  const sentences = sentences_of_terminal();
  assert.ok(sentences.length > 5, "there are sentences");
  for (const words of sentences) assert.ok(whole.includes(words), `the page doesn't say: ${words}`);
  // All columns are seen without scrolling, however long a way is.
  if (page.viewportSize().width > 1000)
    for (const table of await page.$$("article.line .scrolled"))
      assert.ok(await table.evaluate((e) => e.scrollWidth <= e.clientWidth + 1), "a table of makers fits the page");
  const ways = advice.advice.flatMap((line) => line.made.filter((made) => made.way.length > 0));
  assert.equal((text.match(/by way of /g) ?? []).length, ways.length, "every way to the heap is shown");
  const others = (words) => (words.match(/are made there too, on (another way|other ways)/g) ?? []).length;
  assert.equal(others(whole), others(terminal), "a line's other objects are named");
  for (const malloc of advice.mallocs)
    assert.equal(await page.locator(`tr[data-malloc="${malloc.name}"]`).count(), 1, malloc.name);
}

const frame_widths = (page) =>
  page.$$eval(".flames g.frame", (all) =>
    all.map((g) => [g.querySelector("title").textContent.split(":")[0], g.querySelector("rect").getBoundingClientRect().width]),
  );

// The library sets the widths some frames later, and the browser draws when it has time.
const drawn_flames = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const width_of = (e) => e.getBoundingClientRect().width;
        const is_drawn = () => {
          const whole = [...document.querySelectorAll(".flames g.frame")].find((g) =>
            g.querySelector("title").textContent.startsWith("all:"),
          );
          const drawing = document.querySelector(".flames svg");
          return whole && Math.abs(width_of(whole.querySelector("rect")) - width_of(drawing)) < 3;
        };
        const look = () => (is_drawn() ? resolve() : requestAnimationFrame(look));
        look();
      }),
  );

// All of it fills the width, and the widths follow what is chosen.
async function check_flames(page) {
  await drawn_flames(page);
  const by_bytes = await frame_widths(page);
  assert.ok(by_bytes.length > 3, "there are frames");
  const scope = advice.advice.find((line) => line.scope.function)?.scope.function;
  if (scope) assert.ok(by_bytes.some(([name]) => name === scope), `${scope} is a frame`);
  await page.locator("input[value=byte_seconds]").check();
  await drawn_flames(page);
  const by_life = await frame_widths(page);
  assert.notDeepEqual(by_life, by_bytes, "by lifetime it looks different");
  await page.locator("input[value=bytes]").check();
  // The same without a mouse, as a table; and whole on paper, which is narrower.
  await page.locator("details.makers summary").click();
  const makers = await page.$$eval("details.makers tbody tr", (all) => all.map((tr) => [...tr.cells].map((cell) => cell.textContent)));
  assert.ok(makers.length > 0 && makers.every((cells) => cells.length === 5), `${makers.length} makers`);
  // What the terminal says of a function that makes objects, the table says too: here each has one line.
  for (const { by, objects } of advice.advice.flatMap((line) => line.made)) {
    const own = makers.find(([name]) => name === by.function);
    assert.ok(own && own[3].replace(/\D/g, "") === String(objects), `${by.function} makes ${objects}: ${own}`);
  }
  const inBytes = (words) => Number.parseFloat(words.replaceAll(",", "")) * { byte: 1, bytes: 1, KiB: 1024, MiB: 1 << 20 }[words.split(" ")[1]];
  const called = makers.find(([name]) => name === "main");
  assert.ok(called && inBytes(called[2]) > inBytes(called[1]), `main makes more with what it calls: ${called}`);
  await page.locator("details.makers summary").click();
  const summary = await page.locator("details.makers summary").textContent();
  assert.match(summary, /^As a table: ([\d,]+ of )?[\d,]+ functions?$/);
  const is_cut = await page.$eval(".flames svg", (svg) => !svg.getAttribute("viewBox"));
  assert.ok(!is_cut, "paper cuts the flames");
}

async function check_charts(page) {
  const areas = await page.locator("figure.memory [aria-label=area] path").count();
  assert.ok(areas >= 2, `${areas} areas over time`);
  const regions = advice.advice.filter((line) => line.scope.function && line.what !== "leave");
  const bands = await page.locator("figure.regions [aria-label=bar] rect").count();
  assert.ok(bands >= regions.length, `${bands} bands of ${regions.length} regions`);
  for (const chart of await page.$$("figure svg, figure [role=img]"))
    assert.ok(await chart.evaluate((e) => e.closest("[aria-label]") !== null), "a chart has a name");
}

// The least contrast of a text to what lies behind it, and of a drawing's colors to the paper.
function contrasts() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parts = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = parts(color).map((v) => {
      const share = v / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (parts(color)[3] > 0) return color;
    }
    return "white";
  };
  const found = [];
  for (const e of document.querySelectorAll("h1, h2, h3, p, th, td, li, a, label, figcaption, code"))
    found.push([e.textContent.slice(0, 30), ratio(getComputedStyle(e).color, behind(e))]);
  const paper = getComputedStyle(document.body).backgroundColor;
  for (const e of document.querySelectorAll(".swatch"))
    found.push([e.parentElement.textContent, ratio(getComputedStyle(e).backgroundColor, paper)]);
  for (const e of document.querySelectorAll("figure.regions [aria-label=bar] rect"))
    found.push(["a band", ratio(getComputedStyle(e).fill, paper)]);
  for (const g of document.querySelectorAll(".flames g.frame")) {
    const label = g.querySelector(".d3-flame-graph-label");
    if (label) found.push([label.textContent, ratio(getComputedStyle(label).color, getComputedStyle(g.querySelector("rect")).fill)]);
  }
  return found;
}

async function check_contrast(page) {
  const found = await page.evaluate(contrasts);
  assert.ok(found.length > 20);
  for (const [what, ratio] of found) assert.ok(ratio >= 3, `${what}: a contrast of ${ratio.toFixed(2)}`);
}

// On paper nothing stays folded.
async function check_paper(page) {
  const folded = () => page.locator("details:not([open])").count();
  const before = await folded();
  assert.ok(before > 0);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await folded(), 0, "paper can't be unfolded");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await folded(), before);
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
      if (!request.url().startsWith(address) && !request.url().startsWith("data:"))
        problems.push(`a request for ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector("figure.memory svg");
    await check_advice(page);
    await check_flames(page);
    await check_charts(page);
    await check_contrast(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `on ${name} the page is ${wider} pixels too wide`);
    if (screenshots) {
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true });
    }
    if (name === "light") {
      await check_paper(page);
      const paper = await page.pdf({ format: "A4", ...(screenshots ? { path: `${screenshots}/print.pdf` } : {}) });
      assert.ok(paper.length > 10_000);
    }
    assert.deepEqual(problems, [], `on ${name}`);
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(`${advice.advice.length} pieces of advice shown, light, dark, on a phone and on paper: 1 passed, 0 failed`);
