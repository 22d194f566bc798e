// For tests of VRM (vrm, consumers-apps, and vrma.spec.ts of the page): generated VRM avatars (`avatarFile`), a face
// for VRM Animations (`withFace`), and three-vrm to read and play them (`loadAvatar`, `readAnimation`, `playOnAvatar`).
import { AnimationMixer } from "three";
import { character, glbOf } from "./rigs.mjs";

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};

/** VRM's name for each role. */
export const VRM_BONES = {
  Hips: "hips",
  Spine: "spine",
  Spine1: "chest",
  Spine2: "upperChest",
  Neck: "neck",
  Head: "head",
  ...Object.fromEntries(
    ["Left", "Right"].flatMap((side) =>
      Object.entries({
        UpLeg: "UpperLeg",
        Leg: "LowerLeg",
        Foot: "Foot",
        Toe: "Toes",
        Shoulder: "Shoulder",
        Arm: "UpperArm",
        ForeArm: "LowerArm",
        Hand: "Hand",
      }).map(([role, bone]) => [`${side}${role}`, side.toLowerCase() + bone]),
    ),
  ),
};

/** Returns a GLB with edited JSON. `edit` may return other binary data. */
export function editGlb(glb, edit) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  let binary = glb.subarray(28 + length);
  binary = edit(json, binary) ?? binary;
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(text.length / 4) * 4;
  const file = new Uint8Array(28 + padded + binary.length).fill(0x20, 20, 20 + padded);
  const words = new DataView(file.buffer);
  [0x46546c67, 2, file.length, padded, 0x4e4f534a].forEach((word, i) => words.setUint32(i * 4, word, true));
  file.set(text, 20);
  words.setUint32(20 + padded, binary.length, true);
  words.setUint32(24 + padded, 0x004e4942, true);
  file.set(binary, 28 + padded);
  return file;
}

/** Returns a file of an avatar: VRM 0 (facing -z, unrotated bones) or VRM 1 (facing +z, rotated and rolled bones). */
export async function avatarFile(version) {
  const { model, bones } = character(version === 0 ? "vrm" : "blender", { size: 1.05 });
  return editGlb(await glbOf(model), (json) => {
    const nodeOf = (role) => json.nodes.findIndex(({ name }) => name === bones.get(role).name);
    const entries = Object.entries(VRM_BONES).map(([role, bone]) => [bone, nodeOf(role)]);
    json.extensionsUsed = [...(json.extensionsUsed ?? []), version === 0 ? "VRM" : "VRMC_vrm"];
    const map = { inputMaxValue: 90, outputScale: 10 };
    const curve = { curve: [0, 0, 0, 1, 1, 1, 1, 0], xRange: 90, yRange: 10 };
    json.extensions =
      version === 0
        ? {
            VRM: {
              specVersion: "0.0",
              meta: { title: "avatar" },
              humanoid: { humanBones: entries.map(([bone, node]) => ({ bone, node, useDefaultValues: true })) },
              blendShapeMaster: {
                blendShapeGroups: [{ name: "Joy", presetName: "joy", binds: [], materialValues: [] }],
              },
              firstPerson: {
                firstPersonBone: nodeOf("Head"),
                firstPersonBoneOffset: { x: 0, y: 0.06, z: 0 },
                meshAnnotations: [],
                lookAtTypeName: "Bone",
                lookAtHorizontalInner: curve,
                lookAtHorizontalOuter: curve,
                lookAtVerticalDown: curve,
                lookAtVerticalUp: curve,
              },
              secondaryAnimation: { boneGroups: [], colliderGroups: [] },
              materialProperties: [],
            },
          }
        : {
            VRMC_vrm: {
              specVersion: "1.0",
              meta: { name: "avatar", authors: ["Kinestitch"], licenseUrl: "https://vrm.dev/licenses/1.0/" },
              humanoid: { humanBones: Object.fromEntries(entries.map(([bone, node]) => [bone, { node }])) },
              expressions: { preset: { happy: { morphTargetBinds: [] } }, custom: {} },
              lookAt: {
                offsetFromHeadBone: [0, 0.06, 0],
                type: "bone",
                rangeMapHorizontalInner: map,
                rangeMapHorizontalOuter: map,
                rangeMapVerticalDown: map,
                rangeMapVerticalUp: map,
              },
            },
          };
  });
}

/** Returns a VRM Animation with a smile that appears and disappears, and moving eyes. */
export const withFace = (vrma) =>
  editGlb(vrma, (json, binary) => {
    const start = Math.ceil(binary.length / 4) * 4;
    const keyTimes = [0, 0.5, 1];
    // An expression's weight is the x coordinate of its node.
    const smileTranslations = [0, 1, 0.25].map((weight) => [weight, 0, 0]);
    const eyeRotations = [0, 0.1, 0].map((y) => [0, y, 0, Math.sqrt(1 - y * y)]);
    const values = Float32Array.from([...keyTimes, ...smileTranslations.flat(), ...eyeRotations.flat()]);
    const bytes = new Uint8Array(start + values.byteLength);
    bytes.set(binary);
    bytes.set(new Uint8Array(values.buffer), start);
    const view = (byteOffset, byteLength) =>
      json.bufferViews.push({ buffer: 0, byteOffset: start + byteOffset, byteLength }) - 1;
    const accessor = (bufferView, count, type, properties = {}) =>
      json.accessors.push({ bufferView, componentType: 5126, count, type, ...properties }) - 1;
    const times = accessor(view(0, 12), 3, "SCALAR", { min: [0], max: [1] });
    const [translations, rotations] = [accessor(view(12, 36), 3, "VEC3"), accessor(view(48, 48), 3, "VEC4")];
    const [smile, eyes] = [json.nodes.push({ name: "happy" }) - 1, json.nodes.push({ name: "eyes" }) - 1];
    json.scenes[0].nodes.push(smile, eyes);
    const { channels, samplers } = json.animations[0];
    for (const [node, path, output] of [
      [smile, "translation", translations],
      [eyes, "rotation", rotations],
    ])
      channels.push({
        sampler: samplers.push({ input: times, output, interpolation: "LINEAR" }) - 1,
        target: { node, path },
      });
    const extension = json.extensions.VRMC_vrm_animation;
    extension.expressions = { preset: { happy: { node: smile } } };
    extension.lookAt = { node: eyes, offsetFromHeadBone: [0, 0.06, 0] };
    json.buffers[0].byteLength = bytes.length;
    return bytes;
  });

async function loadGltf(bytes, plugin) {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader().register(plugin);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
}

/** Loads an avatar by three-vrm, facing +z. */
export async function loadAvatar(version) {
  const { VRMLoaderPlugin, VRMUtils } = await import("@pixiv/three-vrm");
  const { VRMLookAtQuaternionProxy } = await import("@pixiv/three-vrm-animation");
  const { userData } = await loadGltf(await avatarFile(version), (parser) => new VRMLoaderPlugin(parser));
  const { vrm } = userData;
  VRMUtils.rotateVRM0(vrm);
  const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = "proxy";
  vrm.scene.add(proxy);
  return vrm;
}

/** Reads a VRM Animation by three-vrm. */
export async function readAnimation(bytes) {
  const { VRMAnimationLoaderPlugin } = await import("@pixiv/three-vrm-animation");
  return (await loadGltf(bytes, (parser) => new VRMAnimationLoaderPlugin(parser))).userData.vrmAnimations[0];
}

/** Returns an avatar with a mixer that plays a VRM Animation; `poseAt(time)` poses it at that time. */
export async function playOnAvatar(version, bytes) {
  const { createVRMAnimationClip } = await import("@pixiv/three-vrm-animation");
  const vrm = await loadAvatar(version);
  const clip = createVRMAnimationClip(await readAnimation(bytes), vrm);
  const mixer = new AnimationMixer(vrm.scene);
  mixer.clipAction(clip).play();
  const poseAt = (time) => {
    mixer.setTime(Math.min(time, clip.duration * 0.99999));
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
  };
  return { vrm, clip, mixer, poseAt };
}
