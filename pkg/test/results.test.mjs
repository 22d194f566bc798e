// docs/results/ matches the output of scripts/report.mjs from docs/results/data/.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { markdownTable, outdated, readBench } from "../../scripts/report.mjs";

it("commits the tables and charts that the command writes", async () => {
  assert.deepEqual(await outdated(), []);
});

it("fills short rows, keeps bars inside cells apart", () => {
  assert.equal(markdownTable({ columns: ["a", "b"], rows: [["x|y"]] }), "| a | b |\n|---|---|\n| x\\|y |  |");
});

it("names the file and the missing field of a damaged data file", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-results-"));
  try {
    const path = join(folder, "bench.json");
    writeFileSync(path, JSON.stringify({ title: "Bench" }));
    assert.throws(() => readBench(path), /bench\.json: "commands" is missing/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
