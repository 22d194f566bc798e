import { createTransitions, toAnimationClip } from "kinestitch/three";
import { load, stitch } from "kinestitch/worker";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { createWave } from "./wave.js";

/**
 * Creates the character: a mesh from one file, and clips from other files, retargeted to its bones. `url`: folder of
 * the files, with a slash at the end.
 */
export async function createHero(url) {
  const { scene } = await new GLTFLoader().loadAsync(`${url}hero.glb`);
  const wave = createWave(scene);
  const clips = {};
  for (const name of ["idle", "walk", "run"])
    clips[name] = await toAnimationClip(await load(`${url}${name}.bvh`), scene, { name });
  // "deltas", because the game moves the model itself and stops it at walls.
  const transitions = createTransitions(scene, { load, stitch, rootMotion: "deltas" });
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips.idle);
  let gait = "idle";
  let waveLayer;
  return {
    model: scene,
    transitions,
    /** The current gait: "idle", "walk" or "run". */
    set gait(next) {
      if (next === gait) return;
      gait = next;
      // Maximum time until the model leaves its current motion, seconds: shorter for a stop than for a start.
      transitions.transitionTo(clips[next], { within: next === "idle" ? 0.15 : 0.3 });
    },
    get gait() {
      return gait;
    },
    /** Starts or stops waving with the right arm, while the rest of the body continues its motion. */
    wave(isOn) {
      if (isOn) {
        waveLayer ??= transitions.layer(wave, { from: "mixamorigRightArm" });
      } else {
        waveLayer?.fadeOut(0.3);
        waveLayer = undefined;
      }
    },
  };
}
