// Plays a motion on a VRM avatar. The animation moves the raw bones, so three-vrm must not overwrite them with its
// normalized pose.
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { load } from "kinestitch/worker";
import { toAnimationClip } from "kinestitch/three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { play, show } from "./stage.js";

const status = document.getElementById("status");
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser, { autoUpdateHumanBones: false }));
try {
  const [walk, { scene: avatar, userData }] = await Promise.all([load("walk.bvh"), loader.loadAsync("avatar.vrm")]);
  const animation = await toAnimationClip(walk, avatar, { rootMotion: "inPlace" });
  const mixer = play(avatar, animation);
  show(avatar, (delta) => {
    mixer.update(delta);
    userData.vrm.update(delta); // spring bones, expressions, constraints
  });
  const { title, name = title } = userData.vrm.meta; // VRM 0 has a title, VRM 1 a name
  status.textContent = `${name}: ${animation.duration.toFixed(1)} seconds`;
} catch (error) {
  status.textContent = error.message;
  throw error;
}
