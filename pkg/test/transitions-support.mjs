// Shared by tests of transitions: characters with clips, played frame by frame, and a measure of jumps.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AnimationMixer, Vector3 } from "three";
import { load } from "kinestitch";
import { createTransitions, toAnimationClip } from "kinestitch/three";
import { character } from "./rigs.mjs";
import { root } from "./support.mjs";

export const FPS = 60;
const DELTA = 1 / FPS;
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));

/** A character at the origin, with generated clips by name, and transitions of a mixer. */
export async function actor(family, names, options = {}, size = { size: 1.1 }) {
  const made = character(family, size);
  const clips = {};
  for (const name of names) {
    const clip = await load(fixture(name));
    clips[name] = await toAnimationClip(clip, made.model, { name, ...options.clips });
  }
  const mixer = new AnimationMixer(made.model);
  const { clips: _, ...rest } = options;
  return { ...made, clips, mixer, transitions: createTransitions(mixer, rest), frames: [] };
}

/** Advances by a frame, and records the bones' world positions. */
export function frame(of, delta = DELTA) {
  const way = of.transitions.update(delta);
  of.model.updateMatrixWorld(true);
  const places = [...of.bones.values()].map((bone) => bone.getWorldPosition(new Vector3()));
  of.frames.push({ places, way: { position: way.position.clone(), quaternion: way.quaternion.clone() } });
  return of.frames.at(-1);
}

/** Advances by some seconds. */
export function go(of, seconds) {
  for (let i = 0; i < Math.round(seconds * FPS); i++) frame(of);
  return of.frames.length;
}

/** Advances by some seconds in real time, frame by frame, so that the worker can answer. */
export async function goLive(of, seconds) {
  for (let i = 0; i < Math.round(seconds * FPS); i++) {
    frame(of);
    await new Promise((resolve) => setTimeout(resolve, 1000 / FPS));
  }
  return of.frames.length;
}

const farthest = (vectors) => Math.max(...vectors.map((vector) => vector.length()));
/** Movement of the fastest bone in a frame. */
export const moved = ({ frames }, at) =>
  farthest(frames[at].places.map((place, i) => place.clone().sub(frames[at - 1].places[i])));
/** Largest change of a bone's velocity at a frame, metres per frame. */
export const jolt = ({ frames }, at) =>
  farthest(
    frames[at].places.map((place, i) =>
      place
        .clone()
        .sub(frames[at - 1].places[i])
        .sub(frames[at - 1].places[i].clone().sub(frames[at - 2].places[i])),
    ),
  );

/** Largest value of a measure near a frame, without that frame and its neighbours. */
export function around(of, at, measure, { reach = 20, gap = 2 } = {}) {
  let most = 0;
  for (let other = Math.max(2, at - reach); other <= Math.min(of.frames.length - 1, at + reach); other++)
    if (Math.abs(other - at) >= gap) most = Math.max(most, measure(of, other));
  return most;
}
