// Draws ten transitions between the locomotion clips of GLB packs, to be looked at.
//
//     npm run build && node research/benchmarks/packs-strips.mjs FOLDER OUTPUT
//
// Writes OUTPUT/N-PACK.svg: every fifth frame at 60 fps, an oblique side view that follows the hips. Blue: before the
// request; orange: until the model has arrived; red: after it. Ground marks every 20 cm of a person of 1.6 m move with
// the ground: a planted foot keeps its distance to them. Clips travel by their feet (`rootMotionFromFeet`).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions, restOfObject, rootMotionFromFeet } from "kinestitch/three";
import { loadGlb } from "../../pkg/test/rigs.mjs";
import { actorOf, gaitClips } from "./packs/clips.mjs";

const [folder, output] = process.argv.slice(2);
if (!output) throw new Error("usage: node research/benchmarks/packs-strips.mjs FOLDER OUTPUT");
/** Pixels per metre of a person of 1.6 m; frames between two figures; distance between figures, pixels. */
const [SCALE, FRAME_STEP, FIGURE_DISTANCE] = [100, 5, 78];
const PAIRS = [
  ["idle", "walk"],
  ["walk", "run"],
  ["run", "idle"],
  ["walk", "idle"],
  ["idle", "run"],
  ["run", "walk"],
  ["walk", "jog"],
  ["jog", "sprint"],
  ["sprint", "idle"],
  ["idle", "sprint"],
];
const COLOURS = { before: "#2f6fde", crossing: "#d97a0b", after: "#c92a2a" };

/** Plays a transition. Returns frames with positions of the bones, and their state. */
async function play(actor, clips) {
  const { scene, bones, size } = actor;
  const transitions = createTransitions(scene, { load, stitch });
  await transitions.prepare(clips, { ahead: 0.2 });
  const frames = [];
  const step = (state) => {
    transitions.update(1 / 60);
    scene.updateMatrixWorld(true);
    const positions = bones.map((bone) => bone.getWorldPosition(new Vector3()).multiplyScalar(1.6 / size));
    frames.push({ positions, state: state() });
  };
  transitions.transitionTo(clips[0]);
  for (let i = 0; i < 100; i++) step(() => "before");
  const transition = transitions.transitionTo(clips[1]);
  for (let i = 0; i < 75; i++) step(() => (transition.state === "over" ? "after" : "crossing"));
  transitions.dispose();
  return { frames: frames.slice(85), join: transition.join };
}

/** Draws the frames as SVG. */
function draw({ bones, hips }, { frames, join: used }, title) {
  const links = bones.flatMap((bone, i) => {
    const parent = bones.indexOf(bone.parent);
    return parent < 0 ? [] : [[parent, i]];
  });
  const hipsIndex = bones.indexOf(hips);
  const project = ({ x, z }) => z + x * 0.35;
  const shown = frames.filter((_, i) => i % FRAME_STEP === 0);
  const parts = shown.map(({ positions, state }, i) => {
    const centre = project(positions[hipsIndex]);
    const toX = (value) => (FIGURE_DISTANCE * (i + 0.8) + (value - centre) * SCALE).toFixed(1);
    const point = (bone) => `${toX(project(positions[bone]))} ${(225 - positions[bone].y * SCALE).toFixed(1)}`;
    const lines = links.map(([a, b]) => `M${point(a)}L${point(b)}`).join("");
    const marks = [];
    for (let mark = Math.ceil((centre - 0.38) / 0.2); mark * 0.2 < centre + 0.38; mark++)
      marks.push(`M${toX(mark * 0.2)} 227v${mark % 5 === 0 ? 10 : 4}`);
    return `<path d="${lines}" stroke="${COLOURS[state]}" stroke-width="1.6" fill="none"/><path d="${marks.join("")}M${toX(centre - 0.38)} 226H${toX(centre + 0.38)}" stroke="#999"/>`;
  });
  const width = FIGURE_DISTANCE * (shown.length + 0.6);
  const joinName = typeof used === "string" ? used : JSON.stringify(used);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 245" width="${width}" height="245"><rect width="100%" height="100%" fill="#fff"/><text x="6" y="14" font-size="12" font-family="sans-serif">${title}: ${joinName.replaceAll('"', "")}</text>${parts.join("")}</svg>`;
}

mkdirSync(output, { recursive: true });
const files = readdirSync(folder).filter((name) => name.endsWith(".glb"));
let number = 0;
for (const [index, pair] of PAIRS.entries())
  for (let offset = 0; offset < files.length; offset++) {
    const file = files[(index + offset) % files.length];
    const gltf = await loadGlb(readFileSync(join(folder, file)));
    const gaits = gaitClips(gltf.animations);
    if (!pair.every((gait) => gaits[gait])) continue;
    const actor = await actorOf(gltf, { load, restOfObject });
    const clips = [];
    for (const gait of pair)
      clips.push(gait === "idle" ? gaits[gait] : await rootMotionFromFeet(gaits[gait], actor.scene, { load }));
    const name = `${number++}-${file.replace(".glb", "")}`;
    writeFileSync(join(output, `${name}.svg`), draw(actor, await play(actor, clips), `${file} ${pair.join(" → ")}`));
    console.log(name, pair.join(" → "));
    break;
  }
