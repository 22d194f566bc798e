/**
 * The humanoid of VRM 0, VRM 1 and VRM Animation files: which node is which bone, and which nodes stand for the face.
 */
import type { Role } from "../core/types.js";
import type { GltfJson } from "./document.js";

/** VRM's names of the bones that motions are mapped by. */
export const VRM_BONES: Readonly<Record<Role, string>> = {
  Hips: "hips",
  LeftUpLeg: "leftUpperLeg",
  LeftLeg: "leftLowerLeg",
  LeftFoot: "leftFoot",
  LeftToe: "leftToes",
  RightUpLeg: "rightUpperLeg",
  RightLeg: "rightLowerLeg",
  RightFoot: "rightFoot",
  RightToe: "rightToes",
  Spine: "spine",
  Spine1: "chest",
  Spine2: "upperChest",
  Neck: "neck",
  Head: "head",
  LeftShoulder: "leftShoulder",
  LeftArm: "leftUpperArm",
  LeftForeArm: "leftLowerArm",
  LeftHand: "leftHand",
  RightShoulder: "rightShoulder",
  RightArm: "rightUpperArm",
  RightForeArm: "rightLowerArm",
  RightHand: "rightHand",
};

/** Name of the extension of VRM Animation files. */
export const VRMA = "VRMC_vrm_animation";

type Values = Record<string, unknown>;
/** An object of an untrusted file; empty where the value is not an object. */
const object = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** The extension of VRM Animation in a file; `undefined` in others. */
export function animationExtension(json: GltfJson): Values | undefined {
  const found = object((json as { extensions?: unknown }).extensions)[VRMA];
  return found === undefined ? undefined : object(found);
}

/** Nodes of a file by the roles that its VRM extension gives them. */
export function humanoidOf(json: GltfJson): Map<number, Role> {
  const extensions = object((json as { extensions?: unknown }).extensions);
  const roles = new Map(Object.entries(VRM_BONES).map(([role, bone]) => [bone, role as Role]));
  const found = new Map<number, Role>();
  const put = (bone: unknown, node: unknown): void => {
    const role = typeof bone === "string" ? roles.get(bone) : undefined;
    if (role && Number.isInteger(node)) found.set(node as number, role);
  };
  for (const name of [VRMA, "VRMC_vrm"]) {
    const { humanBones } = object(object(extensions[name])["humanoid"]);
    for (const [bone, value] of Object.entries(object(humanBones))) put(bone, object(value)["node"]);
  }
  const { humanBones } = object(object(extensions["VRM"])["humanoid"]);
  for (const entry of Array.isArray(humanBones) ? humanBones : []) put(object(entry)["bone"], object(entry)["node"]);
  return found;
}

/** A node that stands for something of the face, and where the extension names it. */
export interface FaceNode {
  node: number;
  place: readonly ["expressions", "preset" | "custom", string] | readonly ["lookAt"];
}

/** The nodes of a VRM Animation that stand for expressions and for where the eyes look: they are no bones. */
export function faceNodes(json: GltfJson): FaceNode[] {
  const extension = animationExtension(json);
  if (!extension) return [];
  const found: FaceNode[] = [];
  for (const kind of ["preset", "custom"] as const) {
    for (const [name, value] of Object.entries(object(object(extension["expressions"])[kind]))) {
      const { node } = object(value);
      if (Number.isInteger(node)) found.push({ node: node as number, place: ["expressions", kind, name] });
    }
  }
  const { node } = object(extension["lookAt"]);
  if (Number.isInteger(node)) found.push({ node: node as number, place: ["lookAt"] });
  return found;
}
