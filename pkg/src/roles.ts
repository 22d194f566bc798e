import type { Role } from "./types.js";

/** All roles in the order of `Role::ALL` in src/motion/rig.rs. */
export const roles: readonly Role[] = [
  "Hips",
  "LeftUpLeg",
  "LeftLeg",
  "LeftFoot",
  "LeftToe",
  "RightUpLeg",
  "RightLeg",
  "RightFoot",
  "RightToe",
  "Spine",
  "Spine1",
  "Spine2",
  "Neck",
  "Head",
  "LeftShoulder",
  "LeftArm",
  "LeftForeArm",
  "LeftHand",
  "RightShoulder",
  "RightArm",
  "RightForeArm",
  "RightHand",
];
