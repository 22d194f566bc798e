// Compares two builds of the package: positions, rotations and reports of every method with every fixture, bit by bit;
// times are left out. For changes that must not change any motion. Prints each difference, and exits with 1 if there is
// one.
//
//     node research/benchmarks/compare-packages.mjs OTHER/pkg [PKG]
//         [--expect REGEX]   names of cases that may differ, such as "cleo"
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { expect: { type: "string" } },
  allowPositionals: true,
});
const repository = join(import.meta.dirname, "..", "..");
const [other, own = join(repository, "pkg")] = positionals;
if (!other) {
  console.error("usage: node research/benchmarks/compare-packages.mjs OTHER/pkg [PKG] [--expect REGEX]");
  process.exit(2);
}
const fixtures = join(repository, "tests", "fixtures");
const files = readdirSync(fixtures).filter((name) => name.endsWith(".bvh"));
const texts = new Map(files.map((name) => [name.replace(".bvh", ""), readFileSync(join(fixtures, name), "utf8")]));

const hash = (array) =>
  createHash("sha256")
    .update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    .digest("hex")
    .slice(0, 16);

/** Returns the plain values of a result, without times: arrays as hashes, and the motion of a clip. */
async function valuesOf(value) {
  if (ArrayBuffer.isView(value)) return hash(value);
  if (Array.isArray(value)) return Promise.all(value.map(valuesOf));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "milliseconds");
  const plain = {};
  for (const [name, part] of entries) plain[name] = await valuesOf(part);
  if (typeof value.positions !== "function") return plain;
  const info = value.info();
  const motion = {
    positions: hash(value.positions()),
    rotations: hash(value.rotations()),
    bvh: (await value.toBvh()).length,
  };
  const aligned = typeof value.aligned === "function" ? { aligned: await valuesOf(await value.aligned()) } : {};
  return { ...plain, ...motion, ...aligned, info: await valuesOf(info) };
}

/** Pairs of fixtures: every motion with the next two of its character, and each character with the next. */
function pairs() {
  const names = [...texts.keys()];
  const characterOf = (name) => name.split("-")[0];
  const within = names.flatMap((name) => {
    const motions = names.filter((other) => characterOf(other) === characterOf(name));
    return [1, 2].map((step) => [name, motions[(motions.indexOf(name) + step) % motions.length]]);
  });
  return [...within, ["ada-walk", "bo-run"], ["bo-idle", "ada-turn"], ["ada-jog", "bo-jog"]];
}

const stitchOptions = [
  ...["auto", "inertialize", "crossfade", "lscore"].map((method) => ({ method })),
  ...["best", "phase"].map((seam) => ({ method: "inertialize", seam, maxCut: 0.6 })),
  { method: "auto", keep: true },
  { method: "inertialize", blend: 0.3, footLock: false, fps: 60 },
  { gap: 20 },
  { gap: "auto", gapMethod: "linear" },
  { seams: [{ method: "crossfade", seam: "best" }] },
  { method: "inertialize", trim: [{ from: 5, to: 40 }] },
];
const networkOptions = [
  { method: "rmr" },
  { method: "inertialize", seams: [{ method: "rmr", seam: "best" }] },
  ...["delta", "manifold", "dcmoe"].map((gapMethod) => ({ method: "inertialize", gap: 24, gapMethod })),
];
const inbetweenMethods = ["linear", "hermite", "inertialize", "manifold", "delta", "dcmoe", "auto"];

/** Returns the cases: names, and functions of a package and its clips. */
function cases() {
  const list = [];
  const add = (name, run) => list.push([name, run]);
  for (const name of texts.keys()) {
    add(`${name} as read`, (_, clips) => clips[name]);
    add(`${name} phases`, (_, clips) => clips[name].phases());
    add(`${name} curves`, (_, clips) => clips[name].curves());
    for (const method of ["inPlace", "reverse", "mirror", "rootMotionFromFeet"])
      add(`${name} ${method}`, (_, clips) => clips[name][method]());
    add(`${name} resample`, (_, clips) => clips[name].resample(47));
    add(`${name} retarget`, (_, clips) => clips[name].retarget(clips[name.startsWith("ada") ? "bo-walk" : "ada-walk"]));
    add(`${name} loop`, ({ loop }, clips) => loop(clips[name]));
    add(`${name} naturalness`, (_, clips) => clips[name].naturalness());
    for (const method of inbetweenMethods)
      for (const frames of [12, 40])
        add(`${name} inbetween ${method} ${frames}`, ({ inbetween }, clips) => {
          const clip = clips[name];
          const keys = [
            { clip, frame: 5 },
            { clip, from: 20, to: 24 },
            { clip, frame: clip.frames - 6, at: { x: 1, z: 2, heading: 0.5 } },
          ];
          return inbetween(keys, { method, frames });
        });
  }
  for (const [a, b] of pairs()) {
    for (const options of [...stitchOptions, ...networkOptions])
      add(`${a} ${b} stitch ${JSON.stringify(options)}`, ({ stitch }, clips) => stitch([clips[a], clips[b]], options));
    add(`${a} ${b} bestSeam`, ({ bestSeam }, clips) => bestSeam(clips[a], clips[b]));
  }
  const three = (clips) => [clips["ada-walk"], clips["ada-run"], clips["ada-idle"]];
  for (const options of [...stitchOptions.slice(0, 8), { method: "rmr" }])
    add(`three stitch ${JSON.stringify(options)}`, ({ stitch }, clips) => stitch(three(clips), options));
  return list;
}

async function open(folder) {
  const module = await import(pathToFileURL(join(resolve(folder), "dist", "node.js")).href);
  const clips = {};
  for (const [name, text] of texts) clips[name] = await module.load(text, { name });
  return { module, clips };
}

const run = async ({ module, clips }, task) => {
  try {
    return valuesOf(await task(module, clips));
  } catch (error) {
    return { error: error.code ?? String(error), message: error.message };
  }
};

const packages = [await open(other), await open(own)];
const list = cases();
// With the same networks in memory, "auto" tries the same joins in both packages.
for (const withNetworks of [false, true]) {
  if (withNetworks)
    for (const { module } of packages)
      for (const settings of [{ for: "stitch" }, { for: "inbetween" }]) await module.loadNetworks(settings);
  const chosen = withNetworks ? list.filter(([name]) => /auto|loop/.test(name)) : list;
  let [equal, expected, wrong] = [0, 0, 0];
  for (const [name, task] of chosen) {
    const [before, after] = [await run(packages[0], task), await run(packages[1], task)];
    if (JSON.stringify(before) === JSON.stringify(after)) equal++;
    else if (values.expect && new RegExp(values.expect).test(name)) expected++;
    else {
      wrong++;
      console.log(`${name}:\n  ${JSON.stringify(before).slice(0, 600)}\n  ${JSON.stringify(after).slice(0, 600)}`);
    }
  }
  console.log(
    `${withNetworks ? "networks loaded" : "no networks loaded"}: ${equal} equal, ${expected} differ as expected, ${wrong} differ`,
  );
  if (wrong > 0) process.exitCode = 1;
}
