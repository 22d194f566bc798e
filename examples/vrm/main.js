// Plays a motion on a VRM avatar. The animation moves the raw bones, so three-vrm must not overwrite them with its
// normalized pose.
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { load } from "kinestitch/worker";
import { toAnimationClip } from "kinestitch/three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { play, show } from "./stage.js";

const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser, { autoUpdateHumanBones: false }));
const [walk, { scene, userData }] = await Promise.all([load("walk.bvh"), loader.loadAsync("avatar.vrm")]);
const animation = await toAnimationClip(walk, scene, { rootMotion: "inPlace" });
const mixer = play(scene, animation);
show(scene, (seconds) => {
  mixer.update(seconds);
  userData.vrm.update(seconds); // spring bones, expressions, constraints
});
const { title, name = title } = userData.vrm.meta; // VRM 0 has a title, VRM 1 a name
document.getElementById("status").textContent = `${name}: ${animation.duration.toFixed(1)} seconds`;
