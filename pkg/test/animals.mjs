// For animals.test.mjs: a small generated four-legged model with two animations that move different joints (`animal`),
// and the animal models of Mesh2Motion, if available (`animalFiles`).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AnimationClip, Bone, Euler, Group, Quaternion, QuaternionKeyframeTrack, VectorKeyframeTrack } from "three";
import { root } from "./support.mjs";

const leg = (name, parent, x, z) => [
  [`${name}_Upper`, parent, [x, -0.05, z], [0.1, 0, 0]],
  [`${name}_Lower`, `${name}_Upper`, [0, -0.22, 0.03], [-0.2, 0, 0]],
  [`${name}_Ankle`, `${name}_Lower`, [0, -0.2, -0.05], [0.15, 0, 0]],
  [`${name}_Foot`, `${name}_Ankle`, [0, -0.1, 0.05], [0, 0, 0]],
];

/** Name, parent, position in the parent in metres, rest rotation as Euler angles in radians. */
const BONES = [
  ["root", undefined, [0, 0, 0], [0, 0, 0]],
  ["Hips", "root", [0, 0.6, -0.4], [0.3, 0, 0]],
  ["Tail_Base", "Hips", [0, 0.05, -0.15], [-0.8, 0, 0]],
  ["Tail_Tip", "Tail_Base", [0, 0, -0.25], [0, 0, 0]],
  ["Spine_1", "Hips", [0, 0.02, 0.3], [-0.3, 0, 0]],
  ["Spine_2", "Spine_1", [0, 0.03, 0.35], [-0.1, 0, 0]],
  ["Head", "Spine_2", [0, 0.2, 0.3], [0.2, 0, 0]],
  ...["L", "R"].flatMap((side) => {
    const x = side === "L" ? 0.12 : -0.12;
    return [...leg("Back_Leg", "Hips", x, -0.02), ...leg("Front_Leg", "Spine_2", x, 0.05)].map(
      ([name, parent, ...pose]) => [`${name}_${side}`, /_Leg_/.test(parent) ? `${parent}_${side}` : parent, ...pose],
    );
  }),
];

/** Returns the model with its animations "Walk" and "Sit". The positions of tail and head move in "Sit" only. */
export function animal() {
  const scene = new Group();
  const bones = new Map();
  for (const [name, parent, position, rotation] of BONES) {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...position);
    bone.quaternion.setFromEuler(new Euler(...rotation));
    (parent ? bones.get(parent) : scene).add(bone);
    bones.set(name, bone);
  }
  scene.updateMatrixWorld(true);
  const times = Array.from({ length: 31 }, (_, frame) => frame / 30);
  const rotationTrack = (name, angle) => {
    const restRotation = bones.get(name).quaternion;
    const values = times.flatMap((time) =>
      restRotation
        .clone()
        .multiply(new Quaternion().setFromEuler(new Euler(angle(time), 0, 0)))
        .toArray(),
    );
    return new QuaternionKeyframeTrack(`${name}.quaternion`, times, values);
  };
  const positionTrack = (name, offset) => {
    const values = times.flatMap((time) =>
      bones
        .get(name)
        .position.toArray()
        .map((value, axis) => value + offset(time)[axis]),
    );
    return new VectorKeyframeTrack(`${name}.position`, times, values);
  };
  const swing = (sign) => (time) => sign * 0.4 * Math.sin(2 * Math.PI * time);
  const walk = [
    positionTrack("root", (time) => [0, 0, 0.8 * time]),
    ...["Back_Leg_Upper_L", "Front_Leg_Upper_R"].map((name) => rotationTrack(name, swing(1))),
    ...["Back_Leg_Upper_R", "Front_Leg_Upper_L"].map((name) => rotationTrack(name, swing(-1))),
    // Exporters write tracks for every bone, moving or not.
    rotationTrack("Spine_1", () => 0),
    positionTrack("Spine_1", () => [0, 0, 0]),
  ];
  const sit = [
    positionTrack("Hips", (time) => [0, -0.25 * time, 0]),
    positionTrack("Tail_Base", (time) => [0, 0.06 * time, 0]),
    positionTrack("Head", (time) => [0, 0, 0.05 * time]),
    ...["Back_Leg_Upper_L", "Back_Leg_Upper_R"].map((name) => rotationTrack(name, (time) => -0.6 * time)),
    rotationTrack("Tail_Tip", () => 0.5),
  ];
  return { scene, bones, animations: [new AnimationClip("Walk", 1, walk), new AnimationClip("Sit", 1, sit)] };
}

const folders = [
  process.env.MESH2MOTION_GLB,
  process.env.MOCAP_DATA && join(process.env.MOCAP_DATA, "mesh2motion"),
  ...["..", join("..", "..")].map((parent) => join(root, parent, "data", "mesh2motion-glb", "mesh2motion")),
];
const folder = folders.find((path) => path && existsSync(join(path, "fox-animations.glb")));

/** Files of non-human models. */
export const animalFiles = folder
  ? readdirSync(folder)
      .filter((name) => /\.glb$/.test(name) && !/^human/.test(name))
      .map((name) => join(folder, name))
  : [];
/** Reason to skip tests of animal models; `false` if there are models. */
export const noAnimals = folder
  ? false
  : "no animal models of Mesh2Motion; set MESH2MOTION_GLB to their folder, or MOCAP_DATA to its parent folder";
