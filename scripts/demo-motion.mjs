// Stitches the demo of the page with the package, and writes the motion to www/modes/stitch/demo-motion.json, so that the
// page shows it before the wasm module is loaded. webpack.config.js calls it. Positions are whole millimetres, stored as
// second differences over the frames, which compress to a tenth of the positions.
//
//     node scripts/demo-motion.mjs
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import round from "./round-motion.mjs";
import { root, runScript, UserError } from "./shell.mjs";

const folder = join(root, "www", "modes", "stitch");

/** Returns the demo's clips, from the page's list: names of files and display names. */
function demoClips() {
  const text = readFileSync(join(folder, "demo.ts"), "utf8");
  const files = new Map(
    [...text.matchAll(/^import (\w+) from "(\.\.\/.*\.bvh)";$/gm)].map(([, id, path]) => [id, path]),
  );
  return [...text.matchAll(/namedUrl\((\w+), "([^"]+)"\)/g)].map(([, id, name]) => ({
    name,
    // As the site serves it.
    text: round(readFileSync(join(folder, files.get(id)), "utf8")),
  }));
}

/** Returns the second differences of the positions along the frames, whole millimetres. */
function encode(positions, width) {
  const millimetres = Array.from(positions, (value) => Math.round(value * 1000));
  const at = (index) => (index < 0 ? 0 : millimetres[index]);
  return millimetres.map((value, index) => value - 2 * at(index - width) + at(index - 2 * width));
}

/** Stitches the demo as the page does first. Returns the clip of the package, and the data for the page. */
export async function stitchDemo() {
  const entry = join(root, "pkg", "dist", "node.js");
  if (!existsSync(entry)) throw new UserError("pkg/dist is empty: run npm run build");
  const { load, stitch } = await import(pathToFileURL(entry).href);
  const clips = await Promise.all(demoClips().map(({ name, text }) => load(text, { name })));
  const motion = await stitch(clips, { method: "inertialize" });
  const { name, frames, fps, joints, rig } = motion.info();
  const { contact } = await motion.curves();
  const data = {
    name,
    frames,
    fps,
    joints,
    rig,
    contact: contact.map((foot) => foot.join("")),
    starts: motion.starts,
    seams: motion.seams.map(({ frame, editedRange }) => ({ frame, editedRange })),
    millimetres: encode(motion.positions(), joints.length * 3),
  };
  return { motion, data };
}

/** Writes the motion for the page. */
export async function writeDemoMotion() {
  const { data } = await stitchDemo();
  writeFileSync(join(folder, "demo-motion.json"), JSON.stringify(data));
}

await runScript(import.meta, writeDemoMotion);
