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

it("research/runs/ contains only runs that a page shows", () => {
  const names = (folder) => readdirSync(folder).map((name) => name.replace(/\.json$/, ""));
  const pages = names(join(results, "pages")).map((name) => readPage(join(results, "pages", `${name}.json`)));
  const shownRuns = new Set(pages.flatMap(({ tables }) => tables.flatMap(({ runs }) => runs.map(([, name]) => name))));
  assert.deepEqual(
    names(join(root, "research", "runs")).filter((name) => !shownRuns.has(name)),
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
  // Each of several columns is a series; the empty cell has no point.
  assert.deepEqual(chartPoints({ ...chart, x: "gap", y: ["5", "15"] }, combined), [
    { x: "x", y: 1, name: "slow, 5" },
    { x: "x", y: 2, name: "slow, 15" },
    { x: "x", y: 3, name: "fast, 5" },
  ]);
});

it("draws no points from cells that only begin with a number", () => {
  const combined = { columns: ["noise", "5"], rows: ["7", "15 of 15", "1,067"].map((cell) => ["0", cell]) };
  const chart = { caption: "Chart", x: "noise", y: ["5"], series: [], where: {} };
  assert.deepEqual(chartPoints(chart, combined), [{ x: 0, y: 7, name: "5" }]);
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
  assert.throws(
    () => pageTable(tableOptions({ values: ["5"], columns: ["gap", "5"].map((name) => [name, name]) }), runs),
    /run "one": two rows have the same cells \["x"\]/,
  );
  assert.throws(
    () => pageTable(tableOptions({ targets: { y: "2" } }), runs),
    /table "Page": no row for the target of "y"/,
  );
  const chart = { caption: "Chart", x: "gap", y: ["6"], series: [], where: {} };
  assert.throws(() => chartPoints(chart, pageTable(tableOptions({}), runs)), /chart "Chart": no column "6"/);
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  try {
    writeFileSync(join(folder, "bench.json"), JSON.stringify({ command: "bench" }));
    assert.throws(() => readRun(folder, "bench"), /bench\.json: date: /);
    writeFileSync(join(folder, "bench.json"), "<<<<<<< HEAD");
    assert.throws(() => readRun(folder, "bench"), /bench\.json: .*JSON/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("refuses page descriptions whose fields contradict each other", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  const path = join(folder, "page.json");
  const read = (more) => {
    const table = { caption: "Page", runs: [["one", "a"]], table: "^Ratios", ...more };
    writeFileSync(path, JSON.stringify({ title: "Title", about: "", data: "", tables: [table] }));
    return readPage(path);
  };
  const chart = { caption: "Chart", titles: ["gap", "ratio"] };
  const twoRuns = ["a", "b"].map((name) => [name, name]);
  try {
    assert.equal(read({ runs: twoRuns, label: "set", chart: { ...chart, x: "gap", y: ["5"] } }).tables.length, 1);
    for (const axis of [{ x: "gap" }, { y: ["5"] }])
      assert.throws(
        () => read({ chart: { ...chart, ...axis } }),
        /page\.json: tables\.0\.chart: "x" and "y" go together/,
      );
    assert.throws(() => read({ runs: twoRuns }), /tables\.0: several runs need "label" or "values"/);
    assert.throws(
      () => read({ runs: twoRuns, label: "set", values: ["5"] }),
      /"label" and "values" exclude each other/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the measured files include those of research/lab/src/bench/report.rs", () => {
  const report = readFileSync(join(root, "research", "lab", "src", "bench", "report.rs"), "utf8");
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
