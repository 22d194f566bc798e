import { createTransitions, toAnimationClip } from "kinestitch/three";
import { load, stitch } from "kinestitch/worker";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { waveOf } from "./wave.js";

/** The character: a mesh from one file, and clips from others, retargeted to its bones. */
export async function heroOf(url) {
  const { scene } = await new GLTFLoader().loadAsync(`${url}hero.glb`);
  const wave = waveOf(scene);
  const clips = {};
  for (const name of ["idle", "walk", "run"])
    clips[name] = await toAnimationClip(await load(`${url}${name}.bvh`), scene, { name });
  // The game moves the model itself, because of its walls.
  const transitions = createTransitions(scene, { load, stitch, rootMotion: "deltas" });
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips.idle);
  let gait = "idle";
  let arm;
  return {
    model: scene,
    transitions,
    /** Idles, walks or runs. */
    set gait(next) {
      if (next === gait) return;
      gait = next;
      transitions.transitionTo(clips[next], { within: next === "idle" ? 0.15 : 0.3 });
    },
    get gait() {
      return gait;
    },
    /** Waves, independent of the legs. */
    wave(isOn) {
      if (isOn) arm ??= transitions.layer(wave, { from: "mixamorigRightArm" });
      else arm = void arm?.fadeOut(0.3);
    },
  };
}
