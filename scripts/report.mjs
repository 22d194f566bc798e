// Writes the result pages in docs/results/ from the runs of benchmarks: tables (Markdown) and charts (SVG).
//
//     node scripts/report.mjs [--check] [--help]
//
// It also removes pages and charts that docs/results/pages/ no longer defines.
// --check: changes nothing; exits with 1 and lists the files that are out of date.
//
// research/runs/NAME.json is the output of one command with --json: command, date, commit, tables, notes. Benches
// write it:
//     cargo run --release -p lab --bin bench -- BENCH … --json research/runs/NAME.json
//     npm run bench -- --json research/runs/NAME.json       and the scripts in research/benchmarks/ likewise
// docs/results/pages/NAME.json defines the content of a page, without numbers: title, text, and for each table the runs,
// their table, columns and rows, targets and a chart. scripts/result-tables.mjs describes the fields.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { chartPoints, pageTable, readPage, readRun } from "./result-tables.mjs";
import { root, runScript, UserError } from "./shell.mjs";

const results = join(root, "docs", "results");
const runsFolder = join(root, "research", "runs");

/** Escapes the text of a cell: vertical bars and tags have a meaning in Markdown. */
const cell = (value) =>
  String(value ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("<", "\\<");
const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;

/** Writes a Markdown table; short rows are filled with empty cells. */
export function markdownTable({ columns, rows }) {
  const filledRows = rows.map((cells) => columns.map((_, index) => cells[index] ?? ""));
  return [row(columns), `|${columns.map(() => "---|").join("")}`, ...filledRows.map(row)].join("\n");
}

/** Creates the Vega-Lite specification of a chart. */
function chartSpec({ caption, titles: [x, y], kind }, values) {
  const isBar = kind === "bar";
  return {
    title: caption,
    width: 420,
    height: 240,
    background: "white",
    data: { values },
    mark: isBar ? "bar" : { type: "line", point: true },
    encoding: {
      x: { field: "x", type: isBar ? "nominal" : "quantitative", title: x, axis: { labelAngle: isBar ? -20 : 0 } },
      y: { field: "y", type: "quantitative", title: y },
      color: { field: "name", type: "nominal", title: null },
      ...(isBar ? { xOffset: { field: "name" } } : {}),
    },
  };
}

const chartSvg = async (chart, table) =>
  `${await new View(parse(compile(chartSpec(chart, chartPoints(chart, table))).spec)).toSVG()}\n`;

/** Lists the commands of a page's runs, each with day and commit. */
const commandTexts = (runs) =>
  runs.map(
    ({ name, date, commit, command }) =>
      `[${name}](../../research/runs/${name}.json): ${date}, commit \`${commit}\`\n\n\`\`\`sh\n${command}\n\`\`\``,
  );

/** Returns the files of a page and its charts: `[[path below docs/results, text], ...]`. `runs`: runs by name. */
async function pageFiles(page, runs) {
  const charts = [];
  const parts = [
    `<!-- Written by scripts/report.mjs from pages/${page.name}.json. Do not edit. -->`,
    `# ${page.title}`,
    page.about,
    `Data: ${page.data}`,
  ];
  for (const [index, spec] of page.tables.entries()) {
    const table = pageTable(spec, runs);
    parts.push(`## ${spec.caption}`, markdownTable(table));
    if (!spec.chart) continue;
    const name = `charts/${page.name}-${index}.svg`;
    charts.push([name, await chartSvg(spec.chart, table)]);
    parts.push(`![${spec.chart.caption}](${name})`);
  }
  parts.push("## Commands", ...commandTexts(pageRuns(page).map((name) => runs.get(name))));
  return [[`${page.name}.md`, `${parts.join("\n\n")}\n`], ...charts];
}

/** Returns the names of the runs that a page shows. */
const pageRuns = ({ tables }) => [...new Set(tables.flatMap(({ runs }) => runs.map(([, name]) => name)))];

/** Returns all files of docs/results/ that this command writes, with their texts. */
export async function createFiles(folder = results) {
  const names = readdirSync(join(folder, "pages"))
    .filter((name) => name.endsWith(".json"))
    .sort();
  const pages = names.map((name) => readPage(join(folder, "pages", name)));
  const runs = new Map(pages.flatMap(pageRuns).map((name) => [name, readRun(runsFolder, name)]));
  const list = pages.map((page) => {
    const days = pageRuns(page).map((name) => runs.get(name).date);
    return [`[${page.title}](${page.name}.md)`, days.sort().at(-1)];
  });
  const index = [
    "<!-- Written by scripts/report.mjs. Do not edit. -->",
    "# Results",
    "Each page states its commands, their data, day and commit. Benches write `research/runs/`, " +
      "and `node scripts/report.mjs` writes the pages from these files.",
    markdownTable({ columns: ["bench", "measured"], rows: list }),
  ];
  const files = await Promise.all(pages.map((page) => pageFiles(page, runs)));
  return [["index.md", `${index.join("\n\n")}\n`], ...files.flat()];
}

/** Returns the pages and charts in docs/results/ that are not among `files`, which `createFiles` returned. */
function findObsolete(files, folder = results) {
  const names = new Set(files.map(([name]) => name));
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((name) => /^([^/]+\.md|charts\/[^/]+\.svg)$/.test(name) && !names.has(name))
    .sort();
}

/** Returns the paths of files that are missing, out of date or obsolete. */
export async function findOutdated(folder = results) {
  const files = await createFiles(folder);
  const outdated = files
    .filter(([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8") !== text)
    .map(([name]) => name);
  return [...outdated, ...findObsolete(files, folder)];
}

await runScript(import.meta, async (args) => {
  const unknown = args.find((word) => word !== "--check");
  if (unknown) throw new UserError(`"${unknown}" is not an option of report.mjs; see --help`);
  if (args.includes("--check")) {
    const outdated = await findOutdated();
    if (outdated.length > 0) throw new UserError(`out of date: ${outdated.join(", ")}; run node scripts/report.mjs`);
    return console.log("docs/results is up to date");
  }
  mkdirSync(join(results, "charts"), { recursive: true });
  const files = await createFiles();
  for (const [name, text] of files) writeFileSync(join(results, name), text);
  for (const name of findObsolete(files)) rmSync(join(results, name));
  console.log(`${files.length} files written to docs/results`);
});
