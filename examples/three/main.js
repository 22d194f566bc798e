// Stitches two clips and plays the result as an animation of a model.
import { load, stitch } from "kinestitch/worker";
import { toAnimationClip } from "kinestitch/three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { play, show } from "./stage.js";

const status = document.getElementById("status");
try {
  const [walk, run, { scene: hero }] = await Promise.all([
    load("walk.bvh"),
    load("run.bvh"),
    new GLTFLoader().loadAsync("hero.glb"),
  ]);
  const motion = await stitch([walk, run]);
  // "inPlace" keeps the character in front of the camera; otherwise the animation moves it over the ground.
  const animation = await toAnimationClip(motion, hero, { rootMotion: "inPlace" });
  const mixer = play(hero, animation);
  show(hero, (delta) => mixer.update(delta));
  status.textContent = `${animation.duration.toFixed(1)} seconds, ${animation.tracks.length} tracks`;
} catch (error) {
  status.textContent = error.message;
  throw error;
}
