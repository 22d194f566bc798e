// Steps of engines.test.mjs in addition to those of the consumers.
import * as main from "../node_modules/kinestitch/dist/browser.js";
import * as worker from "../node_modules/kinestitch/dist/worker.js";
import start from "../node_modules/kinestitch/wasm/kinestitch.js";

const code = (promise) =>
  promise.then(
    () => "none",
    (error) => error.code ?? String(error),
  );
const text = await (await fetch("../a.bvh")).text();
const first = await main.load("../a.bvh");
const short = await main
  .load(text, { name: "short" })
  .then(
    (clip) => main.stitch([clip, clip], { trim: [{ from: 0, to: 5 }] }),
    (error) => error,
  )
  .catch((error) => error);

const faults = [
  await code(main.load(text.replace(/Frame Time:.*/, "Frame Time: soon"))),
  await code(main.stitch([first, first], { blned: 3 })),
  await code(main.load("nowhere.bvh")),
  short.code,
];

/** Aborts by a timer after the work has begun. */
const stopped = (job) => {
  const controller = new AbortController();
  let begun = false;
  const onProgress = ({ stage }) => {
    if (begun || stage === "fetch") return;
    begun = true;
    setTimeout(() => controller.abort(), 0);
  };
  return code(job({ signal: controller.signal, onProgress }));
};
const long = async ({ load, stitch }) =>
  stitch([await load("../a.bvh"), await load("../b.bvh")]).then((both) => stitch(Array(8).fill(both)));
const [here, there] = [await long(main), await long(worker)];
const search = { seam: "best", maxCut: 1, maxInject: 60 };
const aborted = [
  await stopped((task) => main.seamMap(here, here, { maxInject: 60, ...task })),
  await stopped((task) => main.stitch([here, here], { ...search, ...task })),
  await stopped((task) => worker.stitch([there, there], { ...search, ...task })),
];

const [a, b] = await Promise.all(["../a.bvh", "../b.bvh"].map((place) => worker.load(place)));
const again = (await worker.stitch([a, b])).frames;
const keys = (clip) => [
  { clip, frame: 5 },
  { clip, frame: 50 },
];
const between = [
  (await main.inbetween(keys(first), { frames: 20 })).frames,
  (await worker.inbetween(keys(a), { frames: 20 })).frames,
];
const magic = (bytes) => String.fromCharCode(...bytes.subarray(0, 4));
const glb = [magic(first.toGlb()), magic(await a.toGlb())];
for (let count = 0; count < 30; count++) await main.stitch([here, here]);
const memory = (await start()).memory.buffer.byteLength / 2 ** 20;
window.report = { faults, aborted, again, between, glb, phases: first.phases().length, memory };
