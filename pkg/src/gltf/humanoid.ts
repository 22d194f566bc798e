/**
 * Reads the humanoid of VRM 0, VRM 1 and VRM Animation files: the node of each bone, and the nodes of face animation.
 */
import type { BodyRole, DetailRole, Role } from "../core/types.js";
import type { GltfJson } from "./document.js";

/** Bone names of VRM by role. */
const BODY_BONES: Readonly<Record<BodyRole, string>> = {
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

/** Names of a finger's bones in VRM 1, from the palm to the tip; the first bone of a thumb is its metacarpal bone. */
const FINGER_BONES = ["Proximal", "Intermediate", "Distal"] as const;
const THUMB_BONES = ["Metacarpal", "Proximal", "Distal"] as const;

/** The fingers, and their names in VRM. */
export const FINGERS = [
  ["Thumb", "Thumb"],
  ["Index", "Index"],
  ["Middle", "Middle"],
  ["Ring", "Ring"],
  ["Pinky", "Little"],
] as const;

/** Roles and VRM names of the finger bones of both hands; each bone follows the one above it. */
const FINGER_ENTRIES: readonly (readonly [DetailRole, string])[] = (["Left", "Right"] as const).flatMap((side) =>
  FINGERS.flatMap(([finger, vrmFinger]) =>
    ([1, 2, 3] as const).map((bone): readonly [DetailRole, string] => [
      `${side}${finger}${bone}`,
      side.toLowerCase() + vrmFinger + (finger === "Thumb" ? THUMB_BONES : FINGER_BONES)[bone - 1],
    ]),
  ),
);

/** Bone names of VRM 1 by role. */
export const VRM_BONES: Readonly<Record<Role, string>> = {
  ...BODY_BONES,
  ...(Object.fromEntries(FINGER_ENTRIES) as Record<DetailRole, string>),
  LeftEye: "leftEye",
  RightEye: "rightEye",
  Jaw: "jaw",
};

/** Name of the extension of VRM Animation files. */
export const VRMA = "VRMC_vrm_animation";

type Values = Record<string, unknown>;
/** Returns a value of an untrusted file as an object; an empty object if it is not an object. */
const toObject = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** Returns the VRM Animation extension of a file; `undefined` if it has none. */
export function getVrmaExtension(json: GltfJson): Values | undefined {
  const extension = toObject((json as { extensions?: unknown }).extensions)[VRMA];
  return extension === undefined ? undefined : toObject(extension);
}

/** Whether a value of an extension is the index of a node. The extensions of a file are not validated with its JSON. */
const isNode = ({ nodes = [] }: GltfJson, value: unknown): value is number =>
  Number.isInteger(value) && nodes[value as number] !== undefined;

/** Reads the role of each node from the VRM extensions of a file; the keys are node indices. */
export function readHumanoid(json: GltfJson): Map<number, Role> {
  const extensions = toObject((json as { extensions?: unknown }).extensions);
  const roles = new Map(Object.entries(VRM_BONES).map(([role, bone]) => [bone, role as Role]));
  // VRM 0 counts the bones of a thumb as those of the other fingers: its "proximal" bone is the first one.
  const isVrm0 = extensions["VRM"] !== undefined;
  for (const side of isVrm0 ? (["Left", "Right"] as const) : [])
    FINGER_BONES.forEach((bone, i) =>
      roles.set(`${side.toLowerCase()}Thumb${bone}`, `${side}Thumb${(i + 1) as 1 | 2 | 3}`),
    );
  const rolesByNode = new Map<number, Role>();
  const addBone = (bone: unknown, node: unknown): void => {
    const role = typeof bone === "string" ? roles.get(bone) : undefined;
    if (role && isNode(json, node)) rolesByNode.set(node, role);
  };
  for (const name of [VRMA, "VRMC_vrm"]) {
    const { humanBones } = toObject(toObject(extensions[name])["humanoid"]);
    for (const [bone, value] of Object.entries(toObject(humanBones))) addBone(bone, toObject(value)["node"]);
  }
  const { humanBones } = toObject(toObject(extensions["VRM"])["humanoid"]);
  for (const entry of Array.isArray(humanBones) ? humanBones : [])
    addBone(toObject(entry)["bone"], toObject(entry)["node"]);
  return rolesByNode;
}

/** A node whose transform encodes an expression or the gaze, and its name in the extension. */
export interface FaceNode {
  node: number;
  target: readonly ["expressions", "preset" | "custom", string] | readonly ["lookAt"];
}

/** Returns the nodes of a VRM Animation that encode expressions and gaze; they are not bones. */
export function findFaceNodes(json: GltfJson): FaceNode[] {
  const extension = getVrmaExtension(json);
  if (!extension) return [];
  const faceNodes: FaceNode[] = [];
  for (const kind of ["preset", "custom"] as const) {
    for (const [name, value] of Object.entries(toObject(toObject(extension["expressions"])[kind]))) {
      const { node } = toObject(value);
      if (isNode(json, node)) faceNodes.push({ node, target: ["expressions", kind, name] });
    }
  }
  const { node } = toObject(extension["lookAt"]);
  if (isNode(json, node)) faceNodes.push({ node, target: ["lookAt"] });
  return faceNodes;
}
