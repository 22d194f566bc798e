// The tables and charts in docs/results/ match the runs and page descriptions there, from which scripts/report.mjs
// writes them.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { findOutdated, markdownTable } from "../../scripts/report.mjs";
import { chartPoints, pageTable, readPage, readRun } from "../../scripts/result-tables.mjs";
import { MEASURED_FILES, RunReport } from "../../scripts/run-report.mjs";
import { root } from "./support.mjs";

const results = join(root, "docs", "results");
const run = (name, rows, columns = ["gap", "join", "5", "15"]) => ({
  name,
  tables: [{ caption: "Ratios by gap", columns, rows }],
});
const tableOptions = (more) => ({ caption: "Page", table: "^Ratios", runs: [["one", "a"]], where: {}, ...more });
const runs = new Map([
  [
    "a",
    run("a", [
      ["x", "slow", "1", "2"],
      ["x", "fast", "3", ""],
    ]),
  ],
  ["b", run("b", [["x", "slow", "4", "5"]])],
]);

it("the committed tables and charts are up to date", async () => {
  assert.deepEqual(await findOutdated(), []);
});

it("missing pages, and pages and charts that no description defines, are out of date", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  try {
    for (const name of ["pages", "charts"]) mkdirSync(join(folder, name));
    for (const name of ["old.md", "charts/old-0.svg"]) writeFileSync(join(folder, name), "");
    assert.deepEqual(await findOutdated(folder), ["index.md", "charts/old-0.svg", "old.md"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("docs/results/runs/ contains only runs that a page shows", () => {
  const names = (folder) => readdirSync(join(results, folder)).map((name) => name.replace(/\.json$/, ""));
  const pages = names("pages").map((name) => readPage(join(results, "pages", `${name}.json`)));
  const shownRuns = new Set(pages.flatMap(({ tables }) => tables.flatMap(({ runs }) => runs.map(([, name]) => name))));
  assert.deepEqual(
    names("runs").filter((name) => !shownRuns.has(name)),
    [],
  );
});

it("fills short rows, and escapes bars and tags in cells", () => {
  assert.equal(markdownTable({ columns: ["a", "b"], rows: [["x|y <z>"]] }), "| a | b |\n|---|---|\n| x\\|y \\<z> |  |");
});

it("puts runs below each other or side by side, with selected rows and columns", () => {
  const twoRuns = {
    runs: [
      ["one", "a"],
      ["two", "b"],
    ],
  };
  assert.deepEqual(pageTable(tableOptions({ ...twoRuns, label: "set", where: { join: "slow" } }), runs), {
    columns: ["set", "gap", "join", "5", "15"],
    rows: [
      ["one", "x", "slow", "1", "2"],
      ["two", "x", "slow", "4", "5"],
    ],
  });
  const columns = [
    ["join", "by"],
    ["5", "five"],
  ];
  assert.deepEqual(pageTable(tableOptions({ ...twoRuns, values: ["five"], columns, targets: { slow: "2" } }), runs), {
    columns: ["by", "one", "two", "target"],
    rows: [
      ["slow", "1", "4", "2"],
      ["fast", "3", "", ""],
    ],
  });
});

it("draws points from numeric headings or from columns", () => {
  const combined = pageTable(tableOptions({}), runs);
  const chart = { caption: "Chart", series: ["join"], y: [], where: {} };
  assert.deepEqual(chartPoints(chart, combined), [
    { x: 5, y: 1, name: "slow" },
    { x: 15, y: 2, name: "slow" },
    { x: 5, y: 3, name: "fast" },
  ]);
  assert.deepEqual(chartPoints({ ...chart, x: "join", y: ["5"], series: [] }, combined), [
    { x: "slow", y: 1, name: "5" },
    { x: "fast", y: 3, name: "5" },
  ]);
});

it("names the missing table, column, row or field", () => {
  assert.throws(
    () => pageTable(tableOptions({ table: "^Times" }), runs),
    /run a, table "\^Times": the run has only "Ratios by gap"/,
  );
  assert.throws(
    () => pageTable(tableOptions({ where: { speed: "1" } }), runs),
    /no column "speed"; the columns are gap, join, 5, 15/,
  );
  assert.throws(() => pageTable(tableOptions({ where: { join: "none" } }), runs), /no row matches/);
  assert.throws(() => pageTable(tableOptions({ values: ["six"] }), runs), /no column "six"/);
  const chart = { caption: "Chart", x: "gap", y: ["6"], series: [], where: {} };
  assert.throws(() => chartPoints(chart, pageTable(tableOptions({}), runs)), /chart "Chart": no column "6"/);
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  try {
    writeFileSync(join(folder, "bench.json"), JSON.stringify({ command: "bench" }));
    assert.throws(() => readRun(folder, "bench"), /bench\.json: date: /);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the measured files include those of lab/src/bench/report.rs", () => {
  const report = readFileSync(join(root, "lab", "src", "bench", "report.rs"), "utf8");
  const [, list] = /MEASURED_PATHS: \[&str; \d+\] =\s*\[(.+?)\]/s.exec(report);
  const paths = list.match(/[^"\s,]+/g);
  assert.ok(paths.length > 5);
  assert.deepEqual(
    paths.filter((path) => !MEASURED_FILES.some((file) => path === file || path.startsWith(`${file}/`))),
    [],
  );
});

it("writes a run that a page can read, without folders of this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  try {
    const report = new RunReport("node bench.mjs", [folder, "--json", join(folder, "bench.json"), "walk.bvh"]);
    assert.deepEqual(report.rest, [folder, "walk.bvh"]);
    report.table("Times", ["what", "ms"]);
    report.row("read", 3);
    report.save();
    const { command, tables } = readRun(folder, "bench");
    assert.deepEqual([command, tables[0].rows], ["node bench.mjs DIR walk.bvh", [["read", "3"]]]);
    assert.equal(readFileSync(join(folder, "bench.json"), "utf8").includes(folder), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
