// Steps of engines.test.mjs in addition to those of the consumers.
import * as main from "../node_modules/kinestitch/dist/browser.js";
import * as worker from "../node_modules/kinestitch/dist/worker.js";
import start from "../node_modules/kinestitch/wasm/kinestitch.js";

const errorCode = (promise) =>
  promise.then(
    () => "none",
    (error) => error.code ?? String(error),
  );
const text = await (await fetch("../a.bvh")).text();
const first = await main.load("../a.bvh");
const errors = [
  await errorCode(main.load(text.replace(/Frame Time:.*/, "Frame Time: soon"))),
  await errorCode(main.stitch([first, first], { blned: 3 })),
  await errorCode(main.load("nowhere.bvh")),
  await errorCode(main.stitch([first, first], { trim: [{ from: 0, to: 5 }] })),
];

/** Returns the error code of work that a timer aborts after its start. */
const codeOfAborted = (job) => {
  const controller = new AbortController();
  let isTimerSet = false;
  const onProgress = ({ stage }) => {
    if (isTimerSet || stage === "fetch") return;
    isTimerSet = true;
    setTimeout(() => controller.abort(), 0);
  };
  return errorCode(job({ signal: controller.signal, onProgress }));
};
const longMotion = async ({ load, stitch }) =>
  stitch([await load("../a.bvh"), await load("../b.bvh")]).then((both) => stitch(Array(8).fill(both)));
const [mainClip, workerClip] = [await longMotion(main), await longMotion(worker)];
const search = { seam: "best", maxCut: 1, maxInject: 60 };
const aborted = [
  await codeOfAborted((task) => main.seamMap(mainClip, mainClip, { maxInject: 60, ...task })),
  await codeOfAborted((task) => main.stitch([mainClip, mainClip], { ...search, ...task })),
  await codeOfAborted((task) => worker.stitch([workerClip, workerClip], { ...search, ...task })),
];

const [a, b] = await Promise.all(["../a.bvh", "../b.bvh"].map((path) => worker.load(path)));
const framesAfterAborts = (await worker.stitch([a, b])).frames;
const keys = (clip) => [
  { clip, frame: 5 },
  { clip, frame: 50 },
];
const between = [
  (await main.inbetween(keys(first), { frames: 20 })).frames,
  (await worker.inbetween(keys(a), { frames: 20 })).frames,
];
const magicOf = (bytes) => String.fromCharCode(...bytes.subarray(0, 4));
const glb = [magicOf(await first.toGlb()), magicOf(await a.toGlb())];
for (let count = 0; count < 30; count++) await main.stitch([mainClip, mainClip]);
const memory = (await start()).memory.buffer.byteLength / 2 ** 20;
window.report = { errors, aborted, framesAfterAborts, between, glb, phases: (await first.phases()).length, memory };
