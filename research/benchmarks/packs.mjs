// Transitions between the locomotion clips of GLB packs at run time: what an animator would point at. Peer: another
// build of the package, such as the last release.
//
//     npm run build && node research/benchmarks/packs.mjs FOLDER [--package FOLDER] [--only NAME] [--json FILE]
//
// FOLDER: any folder of GLB files. Of each file, one clip of each gait is used (idle, walk, jog, run, sprint), and every
// ordered pair of them. If no clip travels, the pairs are also measured with travel added to the hips, and to the bone
// above the hips if there is one. Each pair is played three times, from other phases of the first clip.
//
// - turn, back: the angle by which the body has turned about the vertical, against plain playback of the clips, after the
//   transition, and after the way back; degrees.
// - sink: depth of the lowest joint below the lowest one of both clips, cm.
// - pop: largest acceleration of a joint in the transition (30 fps, σ = 1 frame), divided by the 99th percentile in both
//   clips.
// - jump: number of transitions in which a joint is faster in one frame than twice the largest speed of both clips.
// - slide: mean speed of toes within 2.5 cm of their floor, m/s; in the clips, in the transitions. Only with travel.
// - stop: time from the request until the hips are slower than 0.3 m/s, seconds; only from travelling to standing.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { RunReport } from "../../scripts/run-report.mjs";
import { loadGlb } from "../../pkg/test/rigs.mjs";
import { packageFolder } from "../../pkg/test/support.mjs";
import { actorOf, gaitClips, withTravel } from "./packs/clips.mjs";
import { measurePair } from "./packs/measure.mjs";

const report = new RunReport("node research/benchmarks/packs.mjs", process.argv.slice(2));
/** Removes an option with a value from the arguments, and returns the value. */
function takeOption(name) {
  const index = report.rest.indexOf(`--${name}`);
  return index < 0 ? undefined : report.rest.splice(index, 2)[1];
}
const build = resolve(takeOption("package") ?? packageFolder);
const only = takeOption("only");
const [folder] = report.rest;
if (!folder) throw new Error("usage: node research/benchmarks/packs.mjs FOLDER [--package FOLDER] [--json FILE]");
const entry = async (name) => import(pathToFileURL(join(build, "dist", name)).href);
const kinestitch = { ...(await entry("node.js")), ...(await entry("three.js")) };

const quantile = (values, fraction) => values.toSorted((a, b) => a - b)[Math.floor(fraction * (values.length - 1))];
const worst = (results, key) => Math.max(...results.map((result) => result[key]).filter(Number.isFinite));
const format = (value, digits = 0) => (Number.isFinite(value) ? value.toFixed(digits) : "–");

report.table("Transitions in packs", [
  "pack, travel, method",
  "transitions",
  "turn 90 %, worst, °",
  "back, worst, °",
  "sink 90 %, worst, cm",
  "pop 90 %, worst",
  "jumps",
  "slide: clips, transitions, m/s",
  "stop, worst, s",
]);
const all = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".glb") && (!only || name.includes(only)))) {
  const load = () => loadGlb(readFileSync(join(folder, file)));
  const gaits = gaitClips((await load()).animations);
  if (Object.keys(gaits).length < 2) continue;
  const places = (await actorOf(await load(), kinestitch)).travelBones;
  for (const place of ["none", ...places.keys()])
    for (const method of ["inertialize", "auto"]) {
      const results = [];
      for (const from of Object.keys(gaits))
        for (const to of Object.keys(gaits))
          for (const phase of from === to ? [] : [0, 0.37, 0.71]) {
            const actor = await actorOf(await load(), kinestitch);
            const clips = [from, to].map((gait) => withTravel(actor, gaits[gait], gait, actor.travelBones.get(place)));
            results.push({
              from,
              to,
              ...(await measurePair(actor, clips, { method, phase, travels: place !== "none" })),
            });
          }
      all.push(...results);
      const column = (key) => results.map((result) => result[key]);
      report.row(
        `${file.replace(".glb", "")}, ${place}, ${method}`,
        results.length,
        `${format(quantile(column("turn"), 0.9))}, ${format(worst(results, "turn"))}`,
        format(worst(results, "back")),
        `${format(quantile(column("sink"), 0.9), 1)}, ${format(worst(results, "sink"), 1)}`,
        `${format(quantile(column("pop"), 0.9), 2)}, ${format(worst(results, "pop"), 2)}`,
        column("jump").filter(Boolean).length,
        place === "none" ? "–" : ["ownSlide", "slide"].map((key) => format(quantile(column(key), 0.5), 2)).join(", "),
        format(worst(results, "stop"), 2),
      );
      if (process.env.VERBOSE)
        for (const { from, to, ...values } of results)
          console.log(
            `  ${from} > ${to}`,
            JSON.stringify(values, (_, value) => (typeof value === "number" ? +value.toFixed(2) : value)),
          );
    }
}
report.note(
  `all: turn 90 % ${format(
    quantile(
      all.map(({ turn }) => turn),
      0.9,
    ),
  )}°, worst ${format(worst(all, "turn"))}°; ` +
    `back worst ${format(worst(all, "back"))}°; sink worst ${format(worst(all, "sink"), 1)} cm; ` +
    `${all.filter(({ jump }) => jump).length} jumps in ${all.length} transitions`,
);
report.save();
