// Writes docs/stitch.svg, the animated picture of the README: a stick figure that moves through a generated walk and
// run, which are stitched.
//
//     node scripts/animation.mjs [--help]
//
// Reads ada-walk.bvh and ada-run.bvh in tests/fixtures/. Needs the built package (npm run build).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runScript, UserError } from "./shell.mjs";

const WIDTH = 640;
const HEIGHT = 260;
/** Pixels per metre. */
const SCALE = 115;
/** Height of the ground line in the picture, pixels from the top. */
const GROUND = 235;
/** Frames of the motion per frame of the picture. */
const FRAME_STEP = 2;
const COLOURS = { first: "#2f6fde", seam: "#d9480f", second: "#0b8f6a" };

async function stitchFixtures() {
  const { load, stitch } = await import("kinestitch");
  const read = (name) => load(readFileSync(join(root, "tests", "fixtures", `${name}.bvh`), "utf8"), { name });
  return stitch(await Promise.all([read("ada-walk"), read("ada-run")]), { method: "inertialize" });
}

/** Draws the bones as one SVG path, seen at a right angle to the travel; x is relative to the hips. */
function figurePath(positions, start, parents, travelAxis) {
  const point = (joint) => {
    const offset = start + joint * 3;
    const x = WIDTH / 2 + (positions[offset + travelAxis] - positions[start + travelAxis]) * SCALE;
    return `${Math.round(x)} ${Math.round(GROUND - positions[offset + 1] * SCALE)}`;
  };
  return parents.flatMap((parent, joint) => (parent < 0 ? [] : [`M${point(parent)}L${point(joint)}`])).join("");
}

/** Draws the ground with a mark every half metre. `distance`: position of the hips along the travel, metres. */
function groundPath(distance) {
  const marks = [];
  const shift = (((distance * SCALE) % (SCALE / 2)) + SCALE / 2) % (SCALE / 2);
  for (let x = -SCALE / 2; x <= WIDTH + SCALE / 2; x += SCALE / 2) marks.push(`M${Math.round(x - shift)} ${GROUND}v6`);
  return `M0 ${GROUND}h${WIDTH}${marks.join("")}`;
}

const animateElement = (attribute, values, seconds) =>
  `<animate attributeName="${attribute}" dur="${seconds}s" repeatCount="indefinite" calcMode="discrete" values="${values.join(";")}"/>`;

/**
 * Draws the picture as SVG. `positions`: metres, x, y, z of each joint of each frame; `parents`: index of each joint's
 * parent, -1 for the root; `edited`: range of the frames that blend both clips.
 */
export function svgOf({ positions, frames, parents, fps, edited }) {
  const joints = parents.length;
  const lastStart = (frames - 1) * joints * 3;
  const travel = (axis) => Math.abs(positions[lastStart + axis] - positions[axis]);
  const travelAxis = travel(0) > travel(2) ? 0 : 2;
  const frameNumbers = Array.from({ length: Math.floor(frames / FRAME_STEP) }, (_, index) => index * FRAME_STEP);
  const start = (frame) => frame * joints * 3;
  const colour = (frame) => (frame < edited.from ? COLOURS.first : frame < edited.to ? COLOURS.seam : COLOURS.second);
  const seconds = (frames / fps).toFixed(2);
  const figures = frameNumbers.map((frame) => figurePath(positions, start(frame), parents, travelAxis));
  const floors = frameNumbers.map((frame) => groundPath(positions[start(frame) + travelAxis]));
  const animations =
    animateElement("d", figures, seconds) + animateElement("stroke", frameNumbers.map(colour), seconds);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
<title>A walk (blue) and a run (green), stitched; the blended frames are orange</title>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#f6f7f9"/>
<path d="${floors[0]}" stroke="#a9b1bc" fill="none">${animateElement("d", floors, seconds)}</path>
<path d="${figures[0]}" stroke="${COLOURS.first}" stroke-width="5" stroke-linecap="round" fill="none">${animations}</path>
</svg>
`;
}

await runScript(import.meta, async (args) => {
  if (args.length > 0) throw new UserError(`"${args[0]}" is not an option of animation.mjs; see --help`);
  const motion = await stitchFixtures();
  const info = motion.info();
  const positions = motion.positions();
  const picture = {
    positions,
    frames: info.frames,
    parents: Array.from(info.joints, ({ parent }) => parent ?? -1),
    fps: info.fps,
    edited: motion.seams[0].editedRange,
  };
  const text = svgOf(picture);
  writeFileSync(join(root, "docs", "stitch.svg"), text);
  console.log(`docs/stitch.svg: ${Math.round(text.length / 1000)} KB`);
});
