// For hostile-gltf.test.mjs: runs all readers of glTF on hostile files, and measures the times.
//
//     node pkg/test/hostile-files.mjs        prints the table
import { fileURLToPath } from "node:url";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { containers, document, documents, textOf } from "./hostile-documents.mjs";
import { runReferences } from "./hostile-references.mjs";

/** Processor time of all threads, milliseconds; independent of other load, unlike the clock. */
const cpuMillisecondsSince = (start) => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** Returns a function that runs one case on this thread and in the worker; `report` receives each result. */
const runner = (report) => async (name, expected, work) => {
  for (const [reader, loadFile] of [
    ["thread", load],
    ["worker", loadInWorker],
  ]) {
    const [start, cpuStart] = [performance.now(), process.cpuUsage()];
    const result = await work(loadFile).then(
      () => "ok",
      (error) => (error.name === "KinestitchError" ? error.code : `untyped: ${error.stack}`),
    );
    await report({
      name,
      reader,
      expected,
      result,
      ms: performance.now() - start,
      cpu: cpuMillisecondsSince(cpuStart),
    });
  }
};

/**
 * Runs every case, each on this thread and in the worker. `report` receives each result. Returns the result of
 * `runReferences`.
 */
export async function runAll(report) {
  const run = runner(report);
  for (const [name, [expected, create]] of Object.entries(documents)) {
    const text = textOf(create());
    await run(name, expected, (load) => load(text));
  }
  for (const [name, [expected, create]] of Object.entries(containers)) {
    const file = create();
    await run(name, expected, (load) => load(file));
  }
  return runReferences(run);
}

/** Runs the readers of glTF other than `load` on every document. `report` receives each result. */
export async function runOtherReaders(report) {
  const clip = await load({
    name: "still",
    fps: 30,
    joints: [{ name: "root", parent: -1, offset: [0, 0, 0] }],
    rotations: new Float32Array([0, 0, 0, 1]),
    translations: new Float32Array(3),
  });
  for (const [name, [, create]] of Object.entries(documents)) {
    const text = textOf(create());
    for (const [reader, work] of [
      ["animations", () => animations(text)],
      ["packGlb", () => packGlb(text)],
      ["animateGlb", () => animateGlb(text, clip)],
    ]) {
      const [start, cpuStart] = [performance.now(), process.cpuUsage()];
      const result = await work().then(
        () => "ok",
        (error) => (error.name === "KinestitchError" ? error.code : `untyped: ${error.stack}`),
      );
      await report({ name, reader, result, ms: performance.now() - start, cpu: cpuMillisecondsSince(cpuStart) });
    }
  }
}

const formatRow = ({ name, reader, expected, result, ms, cpu }) => {
  const [time, processorTime] = [ms, cpu].map((value) => `${value.toFixed(0)} ms`.padStart(9));
  const difference = expected === undefined || expected === result ? "" : `NOT ${expected} `;
  return `${time}  ${processorTime}  ${reader.padEnd(10)}  ${result.padEnd(8)} ${difference}${name}`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await load(textOf(document()));
  await loadInWorker(textOf(document()));
  let [count, longestMs, longestCpuMs] = [0, 0, 0];
  console.log("     time  processor  reader      result");
  const report = (row) => {
    console.log(formatRow(row));
    count++;
    longestMs = Math.max(longestMs, row.ms);
    longestCpuMs = Math.max(longestCpuMs, row.cpu);
  };
  const { requests, documents: fetchedDocuments } = await runAll(report);
  await runOtherReaders(report);
  console.log(
    `${count} runs; the longest took ${longestMs.toFixed(0)} ms, ${longestCpuMs.toFixed(0)} ms of processor time; ` +
      `requests that documents caused: ${requests}; documents fetched: ${fetchedDocuments}`,
  );
}
