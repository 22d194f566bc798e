// Writes the result pages in docs/results/, tables (Markdown) and charts (SVG), from docs/results/data/*.json.
//
//     node scripts/report.mjs [--check] [--help]
//
// --check: writes nothing; exits with 1 and lists the files that are out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { root, script, Stop } from "./shell.mjs";

const results = join(root, "docs", "results");

const help = `Usage: node scripts/report.mjs [--check]

Writes docs/results/*.md and docs/results/charts/*.svg from docs/results/data/*.json.

A data file holds the results of one bench:
  title      heading of its page
  commands   commands that print the figures
  data       recordings or inputs that were measured
  date       day of the measurement, YYYY-MM-DD
  commit     commit that printed the figures
  about      unit and meaning of the figures
  tables     [{ caption?, columns, rows, chart? }]
  chart      { caption, x, y, kind: "line" (default) or "bar", lines: [{ name, points: [[x, y], ...] }] }

  --check    write nothing; end with 1 and name the files that are out of date
  --help     this text`;

/** Reads the bench of one data file; errors name the file and the field. */
export function readBench(path) {
  const bench = JSON.parse(readFileSync(path, "utf8"));
  for (const field of ["title", "commands", "data", "date", "commit", "about", "tables"]) {
    if (bench[field] === undefined) throw new Error(`${path}: "${field}" is missing`);
  }
  bench.tables.forEach(({ columns, rows }, index) => {
    const long = rows.find((row) => row.length > columns.length);
    if (long)
      throw new Error(`${path}: table ${index} has a row of ${long.length} cells, but ${columns.length} columns`);
  });
  return { name: basename(path, ".json"), ...bench };
}

const cell = (value) => String(value ?? "").replaceAll("|", "\\|");
const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;

/** A Markdown table; short rows are filled with empty cells. */
export function markdownTable({ columns, rows }) {
  const full = rows.map((cells) => columns.map((_, index) => cells[index] ?? ""));
  return [row(columns), `|${columns.map(() => "---|").join("")}`, ...full.map(row)].join("\n");
}

/** Vega-Lite's description of a chart. */
function chartSpec({ caption, x, y, kind = "line", lines }) {
  const values = lines.flatMap(({ name, points }) => points.map(([at, value]) => ({ x: at, y: value, name })));
  const bar = kind === "bar";
  return {
    title: caption,
    width: 420,
    height: 240,
    background: "white",
    data: { values },
    mark: bar ? "bar" : { type: "line", point: true },
    encoding: {
      x: { field: "x", type: bar ? "nominal" : "quantitative", title: x, axis: { labelAngle: bar ? -20 : 0 } },
      y: { field: "y", type: "quantitative", title: y },
      color: { field: "name", type: "nominal", title: null },
      ...(bar ? { xOffset: { field: "name" } } : {}),
    },
  };
}

const chartSvg = async (chart) => `${await new View(parse(compile(chartSpec(chart)).spec)).toSVG()}\n`;

/** A bench's page and charts: `[[path below docs/results, text], ...]`. */
async function pageOf(bench) {
  const charts = [];
  const parts = [
    `<!-- Written by scripts/report.mjs from data/${bench.name}.json. Do not edit. -->`,
    `# ${bench.title}`,
    bench.about,
    `- Data: ${bench.data}\n- Measured: ${bench.date}, commit \`${bench.commit}\`\n- Figures: [data/${bench.name}.json](data/${bench.name}.json)`,
    `\`\`\`sh\n${bench.commands.join("\n")}\n\`\`\``,
  ];
  for (const [index, table] of bench.tables.entries()) {
    if (table.caption) parts.push(`## ${table.caption}`);
    parts.push(markdownTable(table));
    if (!table.chart) continue;
    const name = `charts/${bench.name}-${index}.svg`;
    charts.push([name, await chartSvg(table.chart)]);
    parts.push(`![${table.chart.caption}](${name})`);
  }
  return [[`${bench.name}.md`, `${parts.join("\n\n")}\n`], ...charts];
}

/** All files of docs/results/ written by this command, with their texts. */
export async function report(folder = results) {
  const data = join(folder, "data");
  const names = readdirSync(data)
    .filter((name) => name.endsWith(".json"))
    .sort();
  const benches = names.map((name) => readBench(join(data, name)));
  const list = benches.map(({ name, title, date, commit }) => [`[${title}](${name}.md)`, date, `\`${commit}\``]);
  const index = [
    "<!-- Written by scripts/report.mjs. Do not edit. -->",
    "# Results",
    "Each page states its command, its data, the day and the commit. `node scripts/report.mjs` writes all pages from `docs/results/data/`.",
    markdownTable({ columns: ["bench", "measured", "commit"], rows: list }),
  ];
  const pages = await Promise.all(benches.map(pageOf));
  return [["index.md", `${index.join("\n\n")}\n`], ...pages.flat()];
}

/** Paths of files that are out of date. */
export async function outdated(folder = results) {
  const files = await report(folder);
  return files
    .filter(([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8") !== text)
    .map(([name]) => name);
}

await script(import.meta, async (words) => {
  if (words.includes("--help")) return console.log(help);
  const unknown = words.find((word) => word !== "--check");
  if (unknown) throw new Stop(`"${unknown}" is no option of report.mjs; see --help`);
  if (words.includes("--check")) {
    const differing = await outdated();
    if (differing.length > 0) throw new Stop(`out of date: ${differing.join(", ")}; run node scripts/report.mjs`);
    return console.log("docs/results is up to date");
  }
  mkdirSync(join(results, "charts"), { recursive: true });
  const files = await report();
  for (const [name, text] of files) writeFileSync(join(results, name), text);
  console.log(`${files.length} files written to docs/results`);
});
