/** Roles of a body (the package's names of its joints, such as "Hips") in the order of display. */
import type { RigEdits, Role } from "kinestitch/worker";

/** All roles, grouped by body part. */
export const ROLE_GROUPS: readonly { title: string; roles: readonly Role[] }[] = [
  { title: "Body", roles: ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"] },
  { title: "Left leg", roles: ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"] },
  { title: "Right leg", roles: ["RightUpLeg", "RightLeg", "RightFoot", "RightToe"] },
  { title: "Left arm", roles: ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"] },
  { title: "Right arm", roles: ["RightShoulder", "RightArm", "RightForeArm", "RightHand"] },
];

/** All roles, in display order. */
export const ROLES: readonly Role[] = ROLE_GROUPS.flatMap(({ roles }) => roles);

/** Returns how many parts of the body, and how many fingers, eyes and jaws, have a joint in a mapping. */
export function countRoles(mapping: RigEdits): { body: number; details: number } {
  const body = ROLES.filter((role) => mapping[role]).length;
  return { body, details: Object.values(mapping).filter(Boolean).length - body };
}
