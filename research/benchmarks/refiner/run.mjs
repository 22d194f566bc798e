// Time of the refiner's forward pass, rows in and rows out, ms, on one thread of the CPU. Peer: onnxruntime with the
// same weights. In headless Chromium, ours and onnxruntime-web run in one page, interleaved; exit code 1 if ours is
// slower or the results differ. Natively, onnxruntime-node and then ours (`bench networks`) run one after the other.
//
//     node research/benchmarks/refiner/run.mjs [--json FILE]
//
// Builds the modules that it needs.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildWasm } from "../../../scripts/build-wasm.mjs";
import { browser } from "../../../scripts/chrome.mjs";
import { installPackages } from "../../../scripts/packages.mjs";
import { RunReport } from "../../../scripts/run-report.mjs";
import { makeFolder, root, run, runScript } from "../../../scripts/shell.mjs";
import { safetensors } from "../onnx.mjs";
import { refiner } from "./onnx.mjs";
import { compare } from "./page.mjs";

const HERE = import.meta.dirname;
const OUT = join(root, "target", "benchmark-refiner");
const WEIGHTS = join(root, "models", "rmr-research.safetensors");
/** Numbers of rows of a forward pass; each is measured. */
const FRAMES = [60, 180];

/** Generates rows that vary smoothly around the mean of the training data, enough for the longest measurement. */
function generateRows(weights) {
  const { values: mean } = weights["normal.mean"];
  const { values: deviation } = weights["normal.deviation"];
  const columns = mean.length;
  const valueAt = (index, column) =>
    mean[column] + deviation[column] * Math.sin(0.1 * Math.floor(index / columns) + 0.7 * column);
  return Float32Array.from({ length: Math.max(...FRAMES) * columns }, (_, index) => valueAt(index, index % columns));
}

/** Serves an empty page and the files that it imports; resolves to the listening server. */
async function serve() {
  const { default: sirv } = await import("sirv");
  const folders = [
    HERE,
    OUT,
    join(root, "models"),
    join(root, "pkg", "wasm"),
    join(HERE, "node_modules", "onnxruntime-web", "dist"),
  ];
  const emptyPage = (_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html>");
  const handlers = [...folders.map((path) => sirv(path, { dev: true })), emptyPage];
  const handle = (request, response, [first, ...others] = handlers) =>
    first(request, response, () => handle(request, response, others));
  const server = createServer((request, response) => handle(request, response));
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  return server;
}

/** Runs the comparison in a page. */
async function compareInChromium() {
  const { chromium } = await import("playwright-core");
  const server = await serve();
  const { args } = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"))["goog:chromeOptions"];
  const flags = args.filter((arg) => !arg.startsWith("--headless"));
  const chromiumBrowser = await chromium.launch({ executablePath: browser().CHROME, args: flags });
  try {
    const page = await chromiumBrowser.newPage();
    await page.goto(`http://localhost:${server.address().port}/`);
    return await page.evaluate(async (frames) => (await import("/page.mjs")).measure(frames), FRAMES);
  } finally {
    await chromiumBrowser.close();
    server.close();
  }
}

/** Times onnxruntime's native build on one thread; `bench networks` times ours. */
async function timeNatively(model, rows) {
  const ort = createRequire(import.meta.url)("onnxruntime-node");
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return compare(FRAMES, rows, {
    onnxruntime: async (part, frames) => {
      const { refined } = await session.run({ rows: new ort.Tensor("float32", part, [frames, part.length / frames]) });
      return refined.data;
    },
  });
}

await runScript(import.meta, async (args) => {
  const report = new RunReport("node research/benchmarks/refiner/run.mjs", args);
  installPackages();
  // Without install scripts, which download libraries for GPUs; those for the CPU are in the package.
  run("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--silent"], { cwd: HERE });
  await buildWasm({ gpu: false });
  makeFolder(OUT);
  const cargo = (...benchArgs) =>
    run("cargo", ["run", "--release", "--quiet", "-p", "lab", "--bin", "bench", "--", ...benchArgs]);
  // Single precision and ONNX get the same values as int8: the shipped integers, multiplied by their scales.
  const file = join(OUT, "refiner-f32.safetensors");
  cargo("weights", "--weights", WEIGHTS, "--out", file, "--precision", "f32");
  copyFileSync(WEIGHTS, join(OUT, "refiner-int8.safetensors"));
  const weights = safetensors(readFileSync(file));
  const model = refiner(weights);
  const rows = generateRows(weights);
  writeFileSync(join(OUT, "refiner.onnx"), model);
  writeFileSync(join(OUT, "rows.bin"), rows);
  const ms = ({ median }) => median.toFixed(1);
  let isTargetMet = true;
  report.table("Forward pass of the refiner in Chromium, one thread", [
    "frames",
    "weights",
    "ours, ms",
    "onnxruntime-web, ms",
    "theirs / ours",
    "largest difference",
  ]);
  for (const { frames, times, differences } of await compareInChromium()) {
    const { onnxruntime, ...ours } = times;
    for (const [name, time] of Object.entries(ours)) {
      const ratio = onnxruntime.median / time.median;
      isTargetMet &&= ratio >= 1 && differences[name] < (name === "f32" ? 1e-4 : 1e-2);
      report.row(frames, name, ms(time), ms(onnxruntime), ratio.toFixed(2), differences[name].toExponential(1));
    }
  }
  report.table("onnxruntime-node, one thread", ["frames", "ms"]);
  for (const { frames, times } of await timeNatively(model, rows)) report.row(frames, ms(times.onnxruntime));
  report.save();
  cargo("networks", "--weights", WEIGHTS);
  if (!isTargetMet) process.exit(1);
});
