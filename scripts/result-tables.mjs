// Builds tables and charts of result pages: a page in docs/results/pages/ selects rows of runs in research/runs/.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as v from "valibot";

const text = v.string();
const record = v.record(text, text);

/** A run: the file that one command writes with `--json`. */
const runSchema = v.strictObject({
  command: text,
  date: v.pipe(text, v.isoDate()),
  commit: text,
  tables: v.array(v.strictObject({ caption: text, columns: v.array(text), rows: v.array(v.array(text)) })),
  notes: v.array(text),
});

/** A chart of a table on a page. All columns are headings on the page. */
const chartSchema = v.pipe(
  v.strictObject({
    caption: text,
    kind: v.optional(v.picklist(["line", "bar"]), "line"),
    /** Titles of the axes. */
    titles: v.tuple([text, text]),
    /** Column of the horizontal axis. Without it, the axis has the headings that are numbers, such as "5" and "15". */
    x: v.optional(text),
    /** Columns of the vertical axis; required with `x`, not allowed without it. */
    y: v.optional(v.array(text), []),
    /**
     * Columns whose cells name the series of a row. Without them, or with several columns `y`, each column of the
     * vertical axis is a series of its own.
     */
    series: v.optional(v.array(text), []),
    /** Rows of the chart: { heading on the page: regular expression that its cell matches }. */
    where: v.optional(record, {}),
  }),
  v.check(({ x, y }) => (x === undefined) === (y.length === 0), '"x" and "y" go together'),
);

const tableSchema = v.pipe(
  v.strictObject({
    caption: text,
    /** [label on the page, name of a run]. Several runs need `label` or `values`. */
    runs: v.pipe(v.array(v.tuple([text, text])), v.minLength(1)),
    /** Regular expression for the caption of the table in each run; the first match is used. */
    table: text,
    /** Heading of an additional first column with the labels of the runs, whose rows are below each other. */
    label: v.optional(text),
    /** Columns (headings on the page) that are repeated for each run, so that the runs are side by side. */
    values: v.optional(v.array(text)),
    /** Rows of the table: { heading in the run: regular expression that its cell matches }. */
    where: v.optional(record, {}),
    /** Columns: [heading in the run, heading on the page]; by default all. */
    columns: v.optional(v.array(v.tuple([text, text]))),
    /** Target for each row by its first cell, in an additional last column. */
    targets: v.optional(record),
    chart: v.optional(chartSchema),
  }),
  v.check(({ label, values }) => !label || !values, '"label" and "values" exclude each other'),
  v.check(({ runs, label, values }) => runs.length === 1 || label || values, 'several runs need "label" or "values"'),
);

const pageSchema = v.strictObject({ title: text, about: text, data: text, tables: v.array(tableSchema) });

/** Reads a JSON file; errors name it. */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

/** Reads a JSON file and checks it. Returns its content, and its name without extension. */
function readChecked(path, schema) {
  const result = v.safeParse(schema, readJson(path));
  if (result.success) return { name: basename(path, ".json"), ...result.output };
  const [issue] = result.issues;
  throw new Error(`${path}: ${v.getDotPath(issue) ?? "file"}: ${issue.message}`);
}

/** Reads the file of a page; errors name the file and the field. */
export const readPage = (path) => readChecked(path, pageSchema);

/** Reads the file of a run; errors name the file and the field. */
export const readRun = (folder, name) => readChecked(join(folder, `${name}.json`), runSchema);

/** Returns the index of a column. `source`: beginning of the error message. */
function columnIndex(columns, column, source) {
  const index = columns.indexOf(column);
  if (index < 0) throw new Error(`${source}: no column "${column}"; the columns are ${columns.join(", ")}`);
  return index;
}

/** Returns a function that tests whether a row matches `where`. `source`: beginning of error messages. */
const matcher = (columns, where, source) => {
  const tests = Object.entries(where).map(([column, pattern]) => {
    const index = columnIndex(columns, column, source);
    return (row) => new RegExp(pattern).test(row[index]);
  });
  return (row) => tests.every((test) => test(row));
};

/** Selects rows and columns of a run's table. Columns get their headings on the page. */
function selectRows(run, { table: captionPattern, where, columns: selectedColumns }) {
  const table = run.tables.find((candidate) => new RegExp(captionPattern).test(candidate.caption));
  const source = `run ${run.name}, table "${captionPattern}"`;
  if (!table)
    throw new Error(`${source}: the run has only ${run.tables.map(({ caption }) => `"${caption}"`).join(", ")}`);
  const names = selectedColumns ?? table.columns.map((column) => [column, column]);
  const indices = names.map(([column]) => columnIndex(table.columns, column, source));
  const rows = table.rows.filter(matcher(table.columns, where, source));
  if (rows.length === 0) throw new Error(`${source}: no row matches ${JSON.stringify(where)}`);
  return { columns: names.map(([, heading]) => heading), rows: rows.map((row) => indices.map((index) => row[index])) };
}

/** Puts tables below each other, with an additional first column of labels. `parts`: [label, table] of each run. */
const stackTables = (label, parts) => ({
  columns: [label, ...parts[0][1].columns],
  rows: parts.flatMap(([runLabel, { rows }]) => rows.map((row) => [runLabel, ...row])),
});

/**
 * Puts tables side by side: the columns `values` are repeated for each run, and rows of the runs whose other cells are
 * equal become one row. Throws if two rows of one run have the same other cells. `parts`: [label, table] of each run.
 */
function joinTables(values, parts) {
  const [[label, { columns }]] = parts;
  const valueIndices = values.map((value) => columnIndex(columns, value, `values of run "${label}"`));
  const keys = columns.flatMap((column, index) => (values.includes(column) ? [] : [index]));
  const heading = (label, value) => (values.length > 1 ? `${label}: ${value}` : label);
  const keyOf = (row) => keys.map((index) => row[index]);
  const rows = new Map();
  for (const [partIndex, [label, part]] of parts.entries()) {
    const ids = new Set();
    for (const row of part.rows) {
      const id = JSON.stringify(keyOf(row));
      if (ids.has(id)) throw new Error(`run "${label}": two rows have the same cells ${id} besides "values"`);
      ids.add(id);
      if (!rows.has(id)) rows.set(id, [...keyOf(row), ...parts.flatMap(() => values.map(() => ""))]);
      for (const [index, valueIndex] of valueIndices.entries())
        rows.get(id)[keys.length + partIndex * values.length + index] = row[valueIndex];
    }
  }
  return {
    columns: [
      ...keys.map((index) => columns[index]),
      ...parts.flatMap(([label]) => values.map((value) => heading(label, value))),
    ],
    rows: [...rows.values()],
  };
}

/** Builds a table of a page, `{ columns, rows }`. `runs`: runs by name. */
export function pageTable(table, runs) {
  const parts = table.runs.map(([label, name]) => [label, selectRows(runs.get(name), table)]);
  let combined = parts[0][1];
  const other = parts.find(([, { columns }]) => columns.join("|") !== combined.columns.join("|"));
  if ((table.values || table.label) && other)
    throw new Error(`table "${table.caption}": the runs "${parts[0][0]}" and "${other[0]}" have different columns`);
  if (table.values) combined = joinTables(table.values, parts);
  else if (table.label) combined = stackTables(table.label, parts);
  if (!table.targets) return combined;
  const unused = Object.keys(table.targets).find((target) => !combined.rows.some(([first]) => first === target));
  if (unused !== undefined) throw new Error(`table "${table.caption}": no row for the target of "${unused}"`);
  const targets = combined.rows.map(([first]) => table.targets[first] ?? "");
  return {
    columns: [...combined.columns, "target"],
    rows: combined.rows.map((row, index) => [...row, targets[index]]),
  };
}

/** Returns the points of a chart, `[{ x, y, name }]`; `name`: the series. Cells that are not numbers have no point. */
export function chartPoints(chart, { columns, rows }) {
  const source = `chart "${chart.caption}"`;
  const chartRows = rows.filter(matcher(columns, chart.where, source));
  const cellOf = (row, column) => row[columnIndex(columns, column, source)];
  const number = (cell) => (cell === "" || Number.isNaN(Number(cell)) ? cell : Number(cell));
  const hasColumnSeries = chart.series.length === 0 || chart.y.length > 1;
  const seriesName = (row, heading) =>
    [...chart.series.map((column) => cellOf(row, column)), ...(hasColumnSeries ? [heading] : [])].join(", ");
  const headings = chart.x === undefined ? columns.filter((column) => /^\d+$/.test(column)) : chart.y;
  const points = chartRows.flatMap((row) =>
    headings.map((heading) => ({
      x: chart.x === undefined ? Number(heading) : number(cellOf(row, chart.x)),
      y: number(cellOf(row, heading)),
      name: seriesName(row, heading),
    })),
  );
  if (!points.some(({ y }) => Number.isFinite(y))) throw new Error(`${source}: no points`);
  return points.filter(({ y }) => Number.isFinite(y));
}
