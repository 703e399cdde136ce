// SPDX-License-Identifier: MIT
// The page, top to bottom: who won, each suite, the method and the machine.
import "./style.css";
import "./tables.css";
import "./print.css";
import { changesOf } from "./changes";
import { circumstancesOf } from "./circumstances";
import { chosenOnPaper, controlsOf } from "./controls";
import type { Report } from "./data";
import { h, linkTo } from "./dom";
import { unfoldForPaper, unfoldTarget } from "./folds";
import { suiteOf } from "./suite";
import { counted } from "./words";

function headerOf(report: Report): HTMLElement {
  const settings = report.full ? "full settings" : "quick settings";
  const when = report.started.replace("T", " ").replace("Z", " UTC");
  const how = report.title === "toft bench" ? `; ${settings}` : "";
  return h(
    "header",
    {},
    h("h1", {}, report.title),
    h(
      "p",
      {},
      `${report.machine.cpu}, ${counted(Number(report.machine.cpus), "CPU")}; ${when}${how}`,
    ),
  );
}

function shortOf(report: Report): HTMLElement {
  const section = h(
    "section",
    { id: "short", "aria-labelledby": "short-title" },
    h("h2", { id: "short-title" }, "In short"),
  );
  for (const suite of report.suites)
    section.append(
      h(
        "p",
        { class: "conclusion" },
        h("a", { href: linkTo(suite.name) }, suite.name),
        ` ${suite.conclusion}`,
      ),
    );
  for (const warning of report.warnings) section.append(h("p", { class: "warning" }, warning));
  if (report.problems.length > 0)
    section.append(
      h("h3", {}, "Problems"),
      h("ul", { class: "problems" }, ...report.problems.map((problem) => h("li", {}, problem))),
    );
  return section;
}

function pageOf(report: Report): HTMLElement[] {
  const places = report.suites.map((suite) => suite.name);
  if (report.comparison) places.unshift("changes");
  const links = ["short", ...places, "method"].map((id) =>
    h("a", { href: linkTo(id) }, id === "short" ? "in short" : id),
  );
  const main = h("main", { id: "report", tabindex: "-1" }, shortOf(report));
  if (report.comparison) main.append(changesOf(report.comparison));
  main.append(controlsOf(report), chosenOnPaper());
  main.append(...report.suites.map((suite, i) => suiteOf(suite, i === 0)), circumstancesOf(report));
  return [headerOf(report), h("nav", { "aria-label": "Sections" }, ...links), main];
}

const text = document.getElementById("result")?.textContent ?? "";
const report = JSON.parse(text) as Report;
const page = document.getElementById("page");
if (report.schema === "toft-report") {
  document.title = report.title;
  page?.append(...pageOf(report));
  unfoldForPaper("details.suite, details.unmatched");
  unfoldTarget();
} else page?.append(h("p", {}, "This page has no result in it: toft report makes one that has."));
