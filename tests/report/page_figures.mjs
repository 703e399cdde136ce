// SPDX-License-Identifier: MIT
// The figures that the page itself reckons and rounds, against those of the result file: in the CSV, in
// the tables of every figure, and divided by a baseline.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const title_of = (row) => (row.by_allocator ? `${row.subject} (${row.allocator})` : row.subject);

const figures_of = (row) => (["elided", "failed"].includes(row.verdict) ? [] : row.figures);
const for_each = (figure, ns) => ns / Math.max(1, figure.operations);

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function assert_close(is, ought, what) {
  assert.ok(Math.abs(is - ought) <= 1e-5 * Math.abs(ought), `${what}: ${is}, and not ${ought}`);
}

// The text is the figure, rounded to the digits that it shows.
function assert_rounded(text, figure, what) {
  const decimals = /\.(\d+)/.exec(text)?.[1].length ?? 0;
  const at_most = 0.5 * 10 ** -decimals + 1e-5 * figure;
  assert.ok(Math.abs(Number(text.replaceAll(",", "")) - figure) <= at_most, `${what}: ${text}, and not ${figure}`);
}

function expected_lines(result) {
  return result.suites.flatMap((suite) =>
    suite.rows.flatMap((row) => {
      const of_samples = (field) => median(row.samples.map((sample) => sample[field]));
      const side_by_side = row.samples.some((sample) => (sample.figures["processes side by side"] ?? 1) > 1);
      return figures_of(row).map((f) => [
        ...[suite.name, row.case, title_of(row), row.verdict, f.phase, f.rounds, f.operations],
        ...[f.cpu_ns.median, f.cpu_ns.lowest, f.cpu_ns.highest].map((ns) => for_each(f, ns)),
        f.cpu_ns.spread,
        side_by_side ? "" : for_each(f, f.wall_ns.median),
        row.samples.length,
        of_samples("peak_bytes") / 2 ** 20,
        Math.trunc(of_samples("minor_faults") + of_samples("major_faults")),
      ]);
    }),
  );
}

// A line for each figure of each row, with no more digits than the page has.
export async function check_csv(page, result) {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const [head, ...lines] = readFileSync(await (await coming).path(), "utf8").trim().split("\r\n");
  assert.ok(head.startsWith("suite,case,row,verdict,phase,rounds,operations,cpu_ns"));
  const expected = expected_lines(result);
  assert.equal(lines.length, expected.length);
  lines.forEach((line, i) => {
    const cells = [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) =>
      cell.replace(/^"(.*)"$/, "$1").replaceAll('""', '"'),
    );
    assert.equal(cells.length, expected[i].length, line);
    cells.forEach((cell, at) => {
      const ought = expected[i][at];
      if (typeof ought === "string") assert.equal(cell.replace(/^'/, ""), ought);
      else assert_close(Number(cell), ought, line);
      const six = String(Number(Number(cell).toPrecision(6)));
      if (/^[\d.]+$/.test(cell) && cell.includes(".") && at > 6) assert.equal(cell, six);
    });
  });
}

const in_words = { first: "first round", later: "later rounds" };

// In the tables of every figure, each stands below its phase, as it sorts and as it is read.
export async function check_details(page, result) {
  const lines = await page.$$eval("tr[data-row]", (all) =>
    all.map((tr) => ({
      name: tr.dataset.row,
      heads: [...tr.closest("table").tHead.rows[0].cells].map((th) => th.textContent),
      cells: [...tr.cells].map((td) => [td.dataset.sort, td.textContent]),
    })),
  );
  const found = new Map(lines.map((line) => [line.name, line]));
  for (const suite of result.suites)
    for (const row of suite.rows)
      for (const f of figures_of(row)) {
        const name = `${suite.name}/${row.case}/${title_of(row)}`;
        const { heads, cells } = found.get(name);
        const [key, text] = cells[heads.indexOf(`${f.phase}, ${in_words[f.rounds]}`)];
        assert_close(Number(key), for_each(f, f.cpu_ns.median), name);
        const [, shown, spread] = /^([\d.,e-]+) ±(\d+) %/.exec(text);
        assert_rounded(shown, for_each(f, f.cpu_ns.median), name);
        assert_rounded(spread, f.cpu_ns.spread * 100, name);
      }
}

// What each line of the first table is, divided by the second.
export async function check_ratios(page) {
  const cells_of = () =>
    page.$$eval("table.shown", ([first]) =>
      [...first.tBodies[0].rows].map((tr) =>
        [...tr.cells].slice(1).map((td) => [Number(td.dataset.sort), td.querySelector(".ratio")?.textContent]),
      ),
    );
  const lines = page.locator("table.shown").first().locator("tbody tr");
  if ((await lines.count()) < 2) return;
  await page.selectOption("#baseline", await lines.nth(1).getAttribute("data-title"));
  const cells = await cells_of();
  for (const line of cells)
    line.forEach(([figure, ratio], at) => {
      if (ratio) assert_rounded(/^ ~?×([\d.,]+)$/.exec(ratio)[1], figure / cells[1][at][0], ratio);
    });
  await page.selectOption("#baseline", "");
}
