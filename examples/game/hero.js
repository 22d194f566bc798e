import { createTransitions, rootMotionFromFeet, toAnimationClip } from "kinestitch/three";
import { load, stitch } from "kinestitch/worker";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { createWave } from "./wave.js";

/** Reads our own character: a mesh from one file, and clips from other files, retargeted to its bones. */
async function readHero(url) {
  const { scene } = await new GLTFLoader().loadAsync(`${url}hero.glb`);
  const clips = {};
  for (const name of ["idle", "walk", "run"])
    clips[name] = await toAnimationClip(await load(`${url}${name}.bvh`), scene, { name });
  return { scene, clips, wave: createWave(scene), arm: "mixamorigRightArm" };
}

/**
 * Reads RobotExpressive of three.js' examples, a pack of clips made in place: their feet give them travel. The robot is
 * 4.4 m tall.
 */
async function readRobot(url) {
  const { scene, animations } = await new GLTFLoader().loadAsync(url);
  scene.scale.setScalar(0.4);
  const find = (name) => animations.find((clip) => clip.name === name);
  const travelling = (name) => rootMotionFromFeet(find(name), scene, { load });
  const clips = { idle: find("Idle"), walk: await travelling("Walking"), run: await travelling("Running") };
  return { scene, clips, wave: find("Wave"), arm: "ShoulderR" };
}

/**
 * Creates the character. `url`: folder of the files, with a slash at the end. `pack`: name of a file with RobotExpressive
 * in this folder, or `null` for our own character.
 */
export async function createHero(url, pack) {
  const { scene, clips, wave, arm } = await (pack ? readRobot(`${url}${pack}`) : readHero(url));
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
        waveLayer ??= transitions.layer(wave, { from: arm });
      } else {
        waveLayer?.fadeOut(0.3);
        waveLayer = undefined;
      }
    },
  };
}
