// Jumps of the pose in transitions among the animations of GLB files, such as the eleven animals and the human of
// Mesh2Motion. Peer: the frames outside transitions.
//
//     npm run build && node research/benchmarks/transitions-files.mjs FOLDER
//     VERBOSE=1 node research/benchmarks/transitions-files.mjs FOLDER
//
// Prints for each file: the clips, the time of `prepare`, ms, and one letter per transition (s: by stitch, i:
// inertialized). Then the movement of the fastest bone per frame at 60 fps, as a fraction of the model's size: median,
// 99 % and maximum of all frames, and maximum of the frames outside transitions. VERBOSE adds the movements around the
// start of each transition.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AnimationMixer, Box3, LoopOnce, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions } from "kinestitch/three";
import { loadGlb } from "../../pkg/test/rigs.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node research/benchmarks/transitions-files.mjs FOLDER");
/** Typical clips of a game: used if the file has at least three of them, otherwise its first four clips. */
const GAME_CLIPS = ["Idle_Loop", "Walk_Loop", "Jump_Start", "Sprint_Loop", "Jog_Fwd_Loop"];

/** Plays transitions between the clips of a file. Returns their joins and the movement in each frame. */
async function playTransitions({ scene, animations }) {
  const gameClips = GAME_CLIPS.flatMap((name) => animations.filter((animation) => animation.name === name));
  const clips = gameClips.length > 2 ? gameClips : animations.slice(0, 4);
  const mixer = new AnimationMixer(scene);
  const bones = [];
  scene.traverse((node) => node.isBone && bones.push(node));
  const transitions = createTransitions(mixer, { load, stitch });
  const started = performance.now();
  await transitions.prepare(clips);
  const prepareTime = performance.now() - started;
  const joins = [];
  const starts = [];
  transitions.addEventListener("started", ({ transition: { join, action } }) => {
    joins.push(typeof join === "string" ? "i" : "s");
    starts.push({ at: frames.length, join: JSON.stringify(join), name: action.getClip().name });
  });
  const frames = [];
  const step = () => {
    const inTransition = transitions.transition !== undefined;
    transitions.update(1 / 60);
    scene.updateMatrixWorld(true);
    frames.push({ inTransition, positions: bones.map((bone) => bone.getWorldPosition(new Vector3())) });
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
  // From each frame to the next; `frames[i]` is the previous frame, because of slice(1).
  const movements = frames.slice(1).map(({ positions, inTransition }, i) => {
    const largest = Math.max(...positions.map((position, bone) => position.distanceTo(frames[i].positions[bone])));
    return { inTransition: inTransition || frames[i].inTransition, largest: largest / size };
  });
  transitions.dispose();
  // From 3 frames before the start of each transition to 24 after it, thousandths of the model's size.
  for (const { at, join, name } of process.env.VERBOSE ? starts : [])
    console.log(
      `  ${name} ${join} at ${at}: ${movements
        .slice(at - 3, at + 24)
        .map(({ largest }) => Math.round(largest * 1000))
        .join(" ")}`,
    );
  return { bones: bones.length, prepareTime, joins, movements, names: clips.map(({ name }) => name) };
}

const format = (value) => value.toFixed(4);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".glb"))) {
  const gltf = await loadGlb(readFileSync(join(folder, file)));
  if (gltf.animations.length < 2) continue;
  const { bones, prepareTime, joins, movements, names } = await playTransitions(gltf);
  const sorted = movements.map(({ largest }) => largest).toSorted((a, b) => a - b);
  const quantiles = [sorted.length >> 1, Math.floor(sorted.length * 0.99), sorted.length - 1];
  const [median, high, most] = quantiles.map((index) => format(sorted[index]));
  const outside = format(
    Math.max(...movements.flatMap(({ inTransition, largest }) => (inTransition ? [] : [largest]))),
  );
  console.log(
    [
      `${file}: ${names.join(", ")}`,
      `${bones} bones, prepared in ${prepareTime.toFixed(0)} ms, ${joins.join("")}`,
      `median ${median}, 99 % ${high}, most ${most}, outside ${outside}`,
    ].join("; "),
  );
}
