// For transitions*.test.mjs and research/benchmarks/transition-strips.mjs: characters with clips (`createActor`), played frame by
// frame (`frame`, `advance`), and measures of jumps.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AnimationMixer, Vector3 } from "three";
import { load } from "kinestitch";
import { createTransitions, toAnimationClip } from "kinestitch/three";
import { character as createCharacter } from "./rigs.mjs";
import { root } from "./support.mjs";

export const FPS = 60;
const DELTA = 1 / FPS;
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));

/** Creates a character at the origin, with generated clips by name, and transitions of a mixer. */
export async function createActor(family, names, options = {}) {
  const created = createCharacter(family, { size: 1.1 });
  const clips = {};
  for (const name of names) {
    const clip = await load(fixture(name));
    clips[name] = await toAnimationClip(clip, created.model, { name, ...options.clips });
  }
  const mixer = new AnimationMixer(created.model);
  const { clips: _, ...transitionOptions } = options;
  return { ...created, clips, mixer, transitions: createTransitions(mixer, transitionOptions), frames: [] };
}

/** Advances by a frame, and records the bones' world positions and the root motion. Returns the record. */
export function frame(character, delta = DELTA) {
  const rootMotion = character.transitions.update(delta);
  character.model.updateMatrixWorld(true);
  const positions = [...character.bones.values()].map((bone) => bone.getWorldPosition(new Vector3()));
  character.frames.push({
    positions,
    rootMotion: { position: rootMotion.position.clone(), quaternion: rootMotion.quaternion.clone() },
  });
  return character.frames.at(-1);
}

/** Advances by some seconds. Returns the number of recorded frames. */
export function advance(character, seconds) {
  for (let i = 0; i < Math.round(seconds * FPS); i++) frame(character);
  return character.frames.length;
}

const largestLength = (vectors) => Math.max(...vectors.map((vector) => vector.length()));
/** Returns the movement of the fastest bone in a frame, metres. */
export const largestMovement = ({ frames }, index) =>
  largestLength(frames[index].positions.map((position, i) => position.clone().sub(frames[index - 1].positions[i])));
/** Returns the largest change of a bone's velocity at a frame, metres per frame. */
export const velocityChange = ({ frames }, index) =>
  largestLength(
    frames[index].positions.map((position, i) =>
      position
        .clone()
        .sub(frames[index - 1].positions[i])
        .sub(frames[index - 1].positions[i].clone().sub(frames[index - 2].positions[i])),
    ),
  );

/** Returns the largest value of a measure near a frame, without that frame and its neighbours. */
export function largestNear(character, index, measure, { reach = 20, skipped = 2 } = {}) {
  let largest = 0;
  for (let near = Math.max(2, index - reach); near <= Math.min(character.frames.length - 1, index + reach); near++)
    if (Math.abs(near - index) >= skipped) largest = Math.max(largest, measure(character, near));
  return largest;
}
