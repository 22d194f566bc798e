// BVH files stitched, written as a VRM Animation, and played on an avatar by three-vrm.
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { createVRMAnimationClip, VRMAnimationLoaderPlugin } from "@pixiv/three-vrm-animation";
import { toVrma } from "kinestitch/vrm";
import { load, stitch } from "kinestitch/worker";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { report } from "./story.js";

async function playOnAvatar() {
  const motion = await stitch(await Promise.all([load("a.bvh"), load("b.bvh")]), { method: "inertialize" });
  const file = await toVrma(motion);
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const { vrm } = (await loader.loadAsync("avatar.vrm")).userData;
  const [animation] = (await loader.parseAsync(file.buffer, "")).userData.vrmAnimations;
  const mixer = new AnimationMixer(vrm.scene);
  const clip = createVRMAnimationClip(animation, vrm);
  mixer.clipAction(clip).play();
  const hipsAt = (seconds) => {
    mixer.setTime(seconds);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    return vrm.humanoid.getRawBoneNode("hips").getWorldPosition(new Vector3());
  };
  const distance = hipsAt(clip.duration * 0.99).distanceTo(hipsAt(0));
  return { frames: motion.frames, bones: animation.humanoidTracks.rotation.size, walked: distance > 1 };
}

report(playOnAvatar());
