// SPDX-License-Identifier: MIT
// What few pages of toft advise have, on a page that was given other data:
//   node advice_corners.mjs PAGE CHROMIUM PLAYWRIGHT
// The page's file is overwritten.
import assert from "node:assert/strict";
import { browser, open_changed, texts } from "./changed_page.mjs";

const opened = (change) => open_changed(change, "#advice");

// The lines that make objects beyond those that are told have a table of their own.
async function check_many_makers() {
  const page = await opened(({ lines }) => {
    const [maker] = lines[0].makers;
    lines[0].makers = Array.from({ length: 8 }, () => maker);
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
    const [line] = data.lines;
    data.lines = [
      { ...line, is_small: true, headline: "1. Little", gain: "CPU time 0.1 % less" },
      { ...line, is_small: false, headline: "2. Much" },
    ];
    data.conclusions = [];
  });
  assert.deepEqual(await texts(page, "#advice h3"), ["2. Much", "Hardly worth a change"]);
  assert.deepEqual(await texts(page, "#advice h3 ~ details.small > summary"), ["1. Little: CPU time 0.1 % less"]);
  assert.ok(!(await page.locator("details.small table").first().isVisible()));
}

async function check_mallocs() {
  const page = await opened((data) => {
    const quick = { name: "quick", way: "", time: "20 % less", peak: "1.0 % more" };
    data.mallocs = { best: "Quick is best.", left_out: "No change was.", rows: [quick, { ...quick, name: "set", way: "Run it" }] };
    data.conclusions = ["Link quick"];
  });
  assert.equal((await texts(page, "#advice h3"))[0], "Link quick");
  assert.deepEqual(await texts(page, "#mallocs p"), ["Quick is best.", "No change was."]);
  assert.deepEqual(await texts(page, "#mallocs tbody tr"), ["quick20 % less1.0 % more", "setRun it20 % less1.0 % more"]);
}

// What casts doubt on advice is a warning, and what was done is a note below it. What is typed is code.
async function check_remarks() {
  const page = await opened((data) => {
    data.remarks = ["Look at `this`."];
    data.notes = ["Recorded into x.toft, which `toft verify` takes."];
    data.closing = ["The `end`."];
  });
  assert.deepEqual(await texts(page, "#advice p.warning"), ["Look at this."]);
  assert.deepEqual(await texts(page, "#advice .line ~ p.note"), ["The end.", "Recorded into x.toft, which toft verify takes."]);
  assert.deepEqual(await texts(page, "#advice p code"), ["this", "end", "toft verify"]);
}

// The header is about all recordings, and the drawings are of one.
async function check_recordings() {
  for (const [recordings, said] of [[1, /^(?!.*recordings)/], [2, /\. Drawn of the first of 2 recordings\.$/]]) {
    const page = await opened((data) => { data.recordings = recordings; });
    const captions = await texts(page, "figcaption");
    assert.equal(captions.length, 3);
    for (const words of captions) assert.match(words, said);
    await page.close();
  }
}

// One large object weighs more than many small ones; objects without bytes have no such life.
async function check_lives() {
  const page = await opened((data) => {
    const made = (name, objects, bytes, byte_seconds) => ({ name, objects, bytes, byte_seconds, bytes_with_calls: 2000, children: [] });
    data.makers = [made("some", 3, 1000, 40), made("few", 2, 500, 6), made("empty", 5, 0, 0)];
    data.all_makers = 3;
    data.calls = { ...made("all", 5, 2000, 1), children: [made("some", 3, 1000, 40), made("empty", 5, 0, 0)] };
  });
  const rows = () => page.$$eval("details.makers tbody tr", (all) => all.map((tr) => [...tr.cells].map((e) => e.textContent).join()));
  const shown = ["some,1,000 bytes,2,000 bytes,3,40.0 ms", "few,500 bytes,2,000 bytes,2,12.0 ms", "empty,0 bytes,2,000 bytes,5,-"];
  assert.deepEqual(await rows(), shown);
  await page.locator("details.makers summary").click();
  const head = page.locator("details.makers thead th").last();
  assert.equal(await head.textContent(), "average life of a byte");
  await head.locator("button").click();
  assert.deepEqual(await rows(), [shown[1], shown[0], shown[2]], "what has no life comes last");
  const titles = await texts(page, ".flames title");
  assert.ok(titles.includes("some: 1,000 bytes in 3 objects; a byte lives 40.0 ms on average"), titles.join("\n"));
}

// A click enlarges a frame, which stays so when the page gets another width, or another measure is chosen.
async function check_enlarged() {
  const page = await opened((data) => {
    const call = (name, bytes, ...children) => ({ name, objects: 1, bytes, byte_seconds: bytes, children });
    data.calls = call("all", 100, call("main", 100, call("f", 60), call("g", 40, call("f", 10))));
  });
  const frame = (name) => page.locator(`.flames g.frame[name=${name}]`).last();
  // The library sets the widths some frames later.
  const fills = (name, share, width) =>
    page.evaluate(
      ([name, share, width]) =>
        new Promise((resolve) => {
          const width_of = (what) => document.querySelector(what)?.getBoundingClientRect().width ?? 0;
          const look = () => {
            const drawn = width_of(".flames svg");
            const is_there = Math.abs(width_of(`.flames g.frame[name=${name}] rect`) - share * drawn) < 3;
            if (is_there && drawn < width) resolve();
            else requestAnimationFrame(look);
          };
          look();
        }),
      [name, share, width],
    );
  await fills("g", 0.4, 1280);
  await frame("g").click();
  await fills("g", 1, 1280);
  await page.setViewportSize({ width: 700, height: 800 });
  await fills("g", 1, 700);
  await page.locator("input[value=byte_seconds]").check();
  const label = await page.locator(".flames").getAttribute("aria-label");
  assert.match(label, /by bytes times seconds/);
  await fills("g", 1, 700);
  await frame("all").click();
  await fills("g", 0.4, 700);
}

async function check_nothing() {
  const page = await opened((data) => {
    const nothing = "Nothing can be said: no object was seen";
    Object.assign(data, { lines: [], conclusions: [nothing], closing: [], mallocs: { best: "", left_out: "", rows: [] } });
    data.calls.objects = 0;
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
  const page = await opened((data) => {
    data.curves = sizes.map(([value], i) => ({ name: `f${i}`, peak_bytes: value, bytes: [0, value] }));
  });
  assert.deepEqual(await texts(page, "figure.memory .legend li"), sizes.map(([, words], i) => `f${i}: up to ${words}`));
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
  await check_recordings();
  await check_lives();
  await check_enlarged();
  await check_nothing();
  await check_sizes();
} finally {
  await browser.close();
}
console.log("pages of advice with other data: 1 passed, 0 failed");
