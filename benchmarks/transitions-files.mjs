// Transitions among the animations of GLB files: the eleven animals and the human of Mesh2Motion, or others.
//
//     npm run build && node benchmarks/transitions-files.mjs FOLDER
//
// Per file: how its transitions were made (s: by stitch, i: inertialized), and the movement of the fastest bone per
// frame at 60 fps relative to the model's size: median, 99 % and maximum of all frames, and maximum of the frames
// outside transitions.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AnimationMixer, Box3, LoopOnce, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions } from "kinestitch/three";
import { loadGlb } from "../pkg/test/rigs.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node benchmarks/transitions-files.mjs FOLDER");
/** Typical clips of a game, if the file has them; otherwise its first four. */
const GAME = ["Idle_Loop", "Walk_Loop", "Jump_Start", "Sprint_Loop", "Jog_Fwd_Loop"];

async function playTransitions({ scene, animations }) {
  const gameClips = GAME.flatMap((name) => animations.filter((animation) => animation.name === name));
  const clips = gameClips.length > 2 ? gameClips : animations.slice(0, 4);
  const mixer = new AnimationMixer(scene);
  const bones = [];
  scene.traverse((node) => node.isBone && bones.push(node));
  const transitions = createTransitions(mixer, { load, stitch });
  const started = performance.now();
  await transitions.prepare(clips);
  const prepared = performance.now() - started;
  const joins = [];
  const starts = [];
  transitions.addEventListener("started", ({ transition: { join, action } }) => {
    joins.push(typeof join === "string" ? "i" : "s");
    starts.push({ at: frames.length, join: JSON.stringify(join), name: action.getClip().name });
  });
  const frames = [];
  const step = () => {
    const isBusy = transitions.transition !== undefined;
    transitions.update(1 / 60);
    scene.updateMatrixWorld(true);
    frames.push({ isBusy, positions: bones.map((bone) => bone.getWorldPosition(new Vector3())) });
  };
  transitions.transitionTo(clips[0]);
  for (let i = 0; i < 60; i++) step();
  for (const clip of [...clips.slice(1), ...clips]) {
    const action = mixer.clipAction(clip);
    if (/Start$/.test(clip.name)) action.setLoop(LoopOnce, 1);
    transitions.transitionTo(action, { within: 0.3 });
    for (let i = 0; i < 45; i++) {
      step();
      if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 16));
    }
  }
  const size = new Box3().setFromPoints(frames[0].positions).getSize(new Vector3()).length();
  const movements = frames.slice(1).map(({ positions, isBusy }, i) => {
    const largest = Math.max(...positions.map((position, bone) => position.distanceTo(frames[i].positions[bone])));
    return { isBusy: isBusy || frames[i].isBusy, largest: largest / size };
  });
  transitions.dispose();
  // Near each transition's first frame, thousandths of the size.
  for (const { at, join, name } of process.env.VERBOSE ? starts : [])
    console.log(
      `  ${name} ${join} at ${at}: ${movements
        .slice(at - 3, at + 24)
        .map(({ largest }) => Math.round(largest * 1000))
        .join(" ")}`,
    );
  return { bones: bones.length, prepared, joins, movements, names: clips.map(({ name }) => name) };
}

const format = (value) => value.toFixed(4);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".glb"))) {
  const gltf = await loadGlb(readFileSync(join(folder, file)));
  if (gltf.animations.length < 2) continue;
  const { bones, prepared, joins, movements, names } = await playTransitions(gltf);
  const sortedMovements = movements.map(({ largest }) => largest).toSorted((a, b) => a - b);
  const outside = Math.max(...movements.flatMap(({ isBusy, largest }) => (isBusy ? [] : [largest])));
  console.log(
    `${file}: ${names.join(", ")}; ${bones} bones, prepared in ${prepared.toFixed(0)} ms, ${joins.join("")}; median ${format(sortedMovements[sortedMovements.length >> 1])}, 99 % ${format(sortedMovements[Math.floor(sortedMovements.length * 0.99)])}, most ${format(sortedMovements.at(-1))}, outside ${format(outside)}`,
  );
}
