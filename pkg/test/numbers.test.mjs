// Every number that the functions of kinestitch take: 0, -1, NaN, infinities, huge numbers and denormals give a result or
// a typed error, at once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bestSeam, inbetween, KinestitchError, load, loop, lscore, seamMap, stitch } from "kinestitch";
import { root } from "./support.mjs";

const NUMBERS = [0, -0, -1, 0.5, NaN, Infinity, -Infinity, 1e300, -1e300, 1e-300, 5e-324, 1e9, 3000, 2 ** 53];
const read = (name) => load(readFileSync(join(root, "tests", "fixtures", `${name}.bvh`), "utf8"));
const [walk, run] = [await read("ada-walk"), await read("ada-run")];
const clips = [walk, run];
const plain = { method: "inertialize" };
const keys = [
  { clip: walk, frame: 30 },
  { clip: run, frame: 30 },
];

/** A motion of one joint and one frame. */
const motion = (values) => ({
  fps: 30,
  joints: [{ name: "Hips", parent: -1, offset: [0, 1, 0], moves: true }],
  rotations: new Float32Array([0, 0, 0, 1]),
  translations: new Float32Array(3),
  ...values,
});

/** Functions that take a number. */
const CALLS = {
  "stitch blend": (blend) => stitch(clips, { ...plain, blend }),
  "stitch gap": (gap) => stitch(clips, { ...plain, gap, gapMethod: "inertialize" }),
  "stitch maxCut": (maxCut) => stitch(clips, { ...plain, maxCut }),
  "stitch fps": (fps) => stitch(clips, { ...plain, fps }),
  "stitch window": (window) => stitch(clips, { method: "lscore", window }),
  "stitch minInject": (minInject) => stitch(clips, { method: "lscore", minInject }),
  "stitch maxInject": (maxInject) => stitch(clips, { method: "lscore", maxInject }),
  "stitch trim": (to) => stitch(clips, { ...plain, trim: [{ from: 0, to }, undefined] }),
  "stitch seams blend": (blend) => stitch(clips, { ...plain, seams: [{ blend }] }),
  "stitch seams gap": (gap) => stitch(clips, { ...plain, seams: [{ gap, gapMethod: "inertialize" }] }),
  "inbetween frames": (frames) => inbetween(keys, { frames, method: "linear" }),
  "inbetween candidates": (candidates) => inbetween(keys, { frames: 10, candidates, method: "linear" }),
  "inbetween fps": (fps) => inbetween(keys, { frames: 10, fps, method: "linear" }),
  "inbetween seed": (seed) => inbetween(keys, { frames: 10, seed, method: "linear" }),
  "inbetween frame of a key": (frame) => inbetween([{ clip: walk, frame }, keys[1]], { frames: 10, method: "linear" }),
  "inbetween place of a key": (x) =>
    inbetween([keys[0], { ...keys[1], at: { x, z: 1, heading: 0 } }], { frames: 10, method: "linear" }),
  "loop minSeconds": (minSeconds) => loop(walk, { minSeconds }),
  "loop maxSeconds": (maxSeconds) => loop(walk, { maxSeconds }),
  "lscore takeoff": (takeoff) => lscore(walk, run, { takeoff, landing: 10 }),
  "lscore window": (window) => lscore(walk, run, { window }),
  "bestSeam count": (count) => bestSeam(walk, run, { count }),
  "bestSeam apart": (apart) => bestSeam(walk, run, { apart }),
  "bestSeam maxCut": (maxCut) => bestSeam(walk, run, { maxCut }),
  "seamMap points": (points) => seamMap(walk, run, { points }),
  "load fps": (fps) => load(motion({ fps })),
  "load rotation": (x) => load(motion({ rotations: new Float32Array([x, 0, 0, 1]) })),
  "load offset": (y) => load(motion({ joints: [{ name: "Hips", parent: -1, offset: [0, y, 0], moves: true }] })),
  "load parent": (parent) => load(motion({ joints: [{ name: "Hips", parent, offset: [0, 1, 0], moves: true }] })),
  "slice from": (from) => walk.slice(from, 20),
  "slice to": (to) => walk.slice(10, to),
  timeScale: (factor) => walk.timeScale(factor),
  at: (seconds) => walk.at(seconds),
  resample: (fps) => walk.resample(fps),
};

for (const [name, call] of Object.entries(CALLS))
  test(`${name} takes any number, or refuses it with a typed error`, { timeout: 120_000 }, async () => {
    for (const value of NUMBERS)
      try {
        const result = await call(value);
        if (result?.positions instanceof Function)
          assert.ok((await result.positions()).every(Number.isFinite), `${name} ${value}`);
        result?.free?.();
      } catch (error) {
        assert.ok(error instanceof KinestitchError && error.code !== "wasm", `${name} ${value}: ${error.stack}`);
      }
  });
