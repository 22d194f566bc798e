/** Writes motions as VRM Animation files (VRMC_vrm_animation 1.0). */
import type { BoneTracks } from "../bones/character.js";
import { IDENTITY, type Vector } from "../bones/rotation.js";
import type { Clip, ClipInfo, JointInfo, MotionData, Role } from "../core/types.js";
import { KinestitchError } from "../core/error.js";
import { writeGlb } from "./container.js";
import type { Gltf, GltfJson } from "./document.js";
import type { Face, FaceTrack } from "./face.js";
import { FINGERS, VRM_BONES, VRMA } from "./humanoid.js";
import { BinaryAppender, addAnimation } from "./write.js";

/** Directions of a hand's first finger bones in a T-pose, for the left hand: thumb, then index to pinky. */
const FINGER_DIRECTIONS: readonly Vector[] = [
  [0.6, 0, 0.8],
  [1, 0, 0.3],
  [1, 0, 0.1],
  [1, 0, -0.1],
  [1, 0, -0.3],
];

/** Bones of the humanoid in a T-pose (facing +z, left side at +x): role, parent, and direction from the parent. */
const T_POSE: readonly (readonly [Role, Role | undefined, Vector])[] = [
  ["Hips", undefined, [0, 1, 0]],
  ["Spine", "Hips", [0, 1, 0]],
  ["Spine1", "Spine", [0, 1, 0]],
  ["Spine2", "Spine1", [0, 1, 0]],
  ["Neck", "Spine2", [0, 1, 0]],
  ["Head", "Neck", [0, 1, 0]],
  ["Jaw", "Head", [0, -0.2, 1]],
  ["LeftEye", "Head", [0.5, 1, 1]],
  ["RightEye", "Head", [-0.5, 1, 1]],
  ...(["Left", "Right"] as const).flatMap((side): [Role, Role, Vector][] => {
    const x = side === "Left" ? 1 : -1;
    return [
      [`${side}Shoulder`, "Spine2", [x * 0.4, 0.9, 0]],
      [`${side}Arm`, `${side}Shoulder`, [x, 0, 0]],
      [`${side}ForeArm`, `${side}Arm`, [x, 0, 0]],
      [`${side}Hand`, `${side}ForeArm`, [x, 0, 0]],
      ...FINGERS.flatMap(([finger], i): [Role, Role, Vector][] => {
        const [dx, dy, dz] = FINGER_DIRECTIONS[i] as Vector;
        const along: Vector = finger === "Thumb" ? [x * dx, dy, dz] : [x, 0, 0];
        return [
          [`${side}${finger}1`, `${side}Hand`, [x * dx, dy, dz]],
          [`${side}${finger}2`, `${side}${finger}1`, along],
          [`${side}${finger}3`, `${side}${finger}2`, along],
        ];
      }),
      [`${side}UpLeg`, "Hips", [x, -0.3, 0]],
      [`${side}Leg`, `${side}UpLeg`, [0, -1, 0]],
      [`${side}Foot`, `${side}Leg`, [0, -1, 0]],
      [`${side}Toe`, `${side}Foot`, [0, -0.4, 1]],
    ];
  }),
];
/** Bones that the VRM Animation format requires. A hand that the clip lacks is added to the end of its forearm. */
const REQUIRED: readonly Role[] = (["Hips", "Spine", "Head"] as Role[]).concat(
  (["Left", "Right"] as const).flatMap((side): Role[] => [
    `${side}UpLeg`,
    `${side}Leg`,
    `${side}Foot`,
    `${side}Arm`,
    `${side}ForeArm`,
  ]),
);
/** The format has no eye bones: the eyes give the gaze ("lookAt"). */
const EYES: readonly Role[] = ["LeftEye", "RightEye"];
/** Height of an ankle above the ground, as a fraction of the shin. */
const ANKLE_HEIGHT = 0.2;
/** Length of a forearm whose clip has no hand, as a fraction of the upper arm. */
const FOREARM = 0.9;
/** Frame rate of the T-pose motion; it has one frame, so any rate would do. */
const FPS = 30;

/** Returns the rest position of each joint, metres. */
function jointPositions(joints: readonly JointInfo[]): Vector[] {
  const positions: Vector[] = [];
  for (const { parent, offset } of joints) {
    const [x, y, z] = positions[parent] ?? [0, 0, 0];
    positions.push([x + offset[0], y + offset[1], z + offset[2]]);
  }
  return positions;
}

/** Returns the rest position of the joint of each role of a clip; a hand without a joint is at the end of its forearm. */
function rolePositions({ rig, joints, name }: ClipInfo): Map<Role, Vector> {
  const missing = REQUIRED.find((role) => !rig[role]);
  if (missing) {
    throw new KinestitchError(
      "rig",
      `a VRM Animation needs a bone ${VRM_BONES[missing]}, but no bone of ${name} is mapped to ${missing}; ` +
        "correct the mapping with the option rig",
    );
  }
  const restPositions = jointPositions(joints);
  const indices = new Map(joints.map((joint, i) => [joint.name, i]));
  const found = T_POSE.flatMap(([role]): [Role, Vector][] => {
    const joint = indices.get(rig[role] ?? "");
    return joint === undefined ? [] : [[role, restPositions[joint] as Vector]];
  });
  const positions = new Map(found);
  // VRM allows an upper chest only if there is a chest.
  const chest = positions.get("Spine2");
  if (chest && !positions.has("Spine1")) {
    positions.set("Spine1", chest);
    positions.delete("Spine2");
  }
  for (const side of ["Left", "Right"] as const) {
    const [upper, elbow] = [positions.get(`${side}Arm`) as Vector, positions.get(`${side}ForeArm`) as Vector];
    if (positions.has(`${side}Hand`)) continue;
    const fingers = FINGERS.map(([finger]) => joints[indices.get(rig[`${side}${finger}1`] ?? "") ?? -1]);
    // The palm, from which a finger branches off, begins at the wrist.
    const palm = fingers.find((finger) => finger && joints[finger.parent]?.name !== rig[`${side}ForeArm`])?.parent;
    positions.set(
      `${side}Hand`,
      palm === undefined
        ? ([0, 1, 2].map(
            (axis) => (elbow[axis] as number) * (1 + FOREARM) - (upper[axis] as number) * FOREARM,
          ) as unknown as Vector)
        : (restPositions[palm] as Vector),
    );
  }
  for (const side of ["Left", "Right"] as const) addFingers(positions, side);
  return positions;
}

/** Length of a finger bone that the clip lacks, relative to the hand's first mapped finger bone. */
const BONE_RATIOS = [1, 0.4, 0.35] as const;

/**
 * Adds the bones that a hand with some fingers lacks: retargeting lets them follow the fingers beside them. Their
 * positions only give their lengths.
 */
function addFingers(positions: Map<Role, Vector>, side: "Left" | "Right"): void {
  const wrist = positions.get(`${side}Hand`);
  const found = FINGERS.map(([finger]) => positions.get(`${side}${finger}1`)).find((position) => position);
  if (!wrist || !found) return;
  const palm = Math.hypot(found[0] - wrist[0], found[1] - wrist[1], found[2] - wrist[2]);
  for (const [finger] of FINGERS) {
    let [x, y, z] = wrist;
    for (const bone of [1, 2, 3] as const) {
      const role: Role = `${side}${finger}${bone}`;
      const position: Vector = positions.get(role) ?? [x + palm * (BONE_RATIOS[bone - 1] as number), y, z];
      positions.set(role, position);
      [x, y, z] = position;
    }
  }
}

/** Creates VRM's T-pose with the bone lengths of a clip, as a target for retargeting. */
function createTPose(info: ClipInfo): { data: MotionData; roles: Role[] } {
  const positions = rolePositions(info);
  const roles = T_POSE.map(([role]) => role).filter((role) => positions.has(role));
  const parents = new Map(T_POSE.map(([role, parent]) => [role, parent]));
  const parentOf = (role: Role): Role | undefined => {
    let parent = parents.get(role);
    while (parent && !positions.has(parent)) parent = parents.get(parent);
    return parent;
  };
  const length = (role: Role): number => {
    const a = positions.get(role) as Vector;
    const b = positions.get(parentOf(role) ?? role) as Vector;
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  // Hips above the ground: the vertical parts of the leg's bones in T_POSE, and the height of the ankle.
  const height =
    (length("LeftUpLeg") * 0.3) / Math.hypot(1, 0.3) + length("LeftLeg") + length("LeftFoot") * (1 + ANKLE_HEIGHT);
  const offsets = T_POSE.filter(([role]) => positions.has(role)).map(
    ([role, , [x, y, z]]): [number, number, number] => {
      if (role === "Hips") return [0, height, 0];
      const scale = length(role) / Math.hypot(x, y, z);
      return [x * scale, y * scale, z * scale];
    },
  );
  const data: MotionData = {
    name: info.name,
    fps: FPS,
    joints: roles.map((role, i) => ({
      name: VRM_BONES[role],
      parent: roles.indexOf(parentOf(role) as Role),
      offset: offsets[i] as [number, number, number],
    })),
    rotations: Float32Array.from(roles.flatMap(() => IDENTITY)),
    translations: Float32Array.from(offsets[0] as number[]),
    rig: Object.fromEntries(roles.map((role) => [role, VRM_BONES[role]])),
  };
  return { data, roles };
}

/** Returns the rotations of a joint, [frames × 4]. `rotations`: of all joints, [frames × joints × 4]. */
function trackOf(
  rotations: Float32Array,
  { joint, joints, frames }: Record<"joint" | "joints" | "frames", number>,
): Float32Array {
  const track = new Float32Array(frames * 4);
  for (let frame = 0; frame < frames; frame++)
    track.set(rotations.subarray((frame * joints + joint) * 4, (frame * joints + joint + 1) * 4), frame * 4);
  return track;
}

/** Returns the gaze of the eyes, the mean of both, as a track of the face; nothing if the eyes do not move. */
function gazeOf(eyes: readonly Float32Array[], fps: number): FaceTrack[] {
  const [left, right = left] = eyes;
  if (!left || !right) return [];
  const frames = left.length / 4;
  const values = new Float32Array(left.length);
  let moves = false;
  for (let frame = 0; frame < frames; frame++) {
    const [a, b] = [left, right].map((track) => track.subarray(frame * 4, frame * 4 + 4)) as [
      Float32Array,
      Float32Array,
    ];
    const sign = a.reduce((dot, value, i) => dot + value * (b[i] as number), 0) < 0 ? -1 : 1;
    const sum = [...a].map((value, i) => value + sign * (b[i] as number));
    const norm = Math.hypot(...sum) || 1;
    values.set(
      sum.map((value) => value / norm),
      frame * 4,
    );
    moves ||= Math.hypot(...sum.slice(0, 3)) / norm > MIN_GAZE;
  }
  const times = Float32Array.from({ length: frames }, (_, frame) => frame / fps);
  return moves ? [{ target: ["lookAt"], path: "rotation", times, values, interpolation: "LINEAR" }] : [];
}
/** Sine of half the angle from which on the eyes count as moving. */
const MIN_GAZE = 0.005;

/** Retargets a clip to VRM's T-pose and writes a VRM Animation file with the face's tracks. */
export async function writeVrma(clip: Clip, name: string, face: Face): Promise<Uint8Array<ArrayBuffer>> {
  const { data, roles } = createTPose(await clip.info());
  const retargeted = await clip.retarget(data);
  const [rotations, positions] = await Promise.all([retargeted.rotations(), retargeted.positions()]);
  const { frames, fps } = retargeted;
  retargeted.free();
  const joints = roles.length;
  const tracks = roles.map((_, joint) => trackOf(rotations, { joint, joints, frames }));
  const bones = roles.filter((role) => !EYES.includes(role));
  const rotationTracks = bones.map((role) => tracks[roles.indexOf(role)] as Float32Array);
  const eyes = EYES.flatMap((role) => tracks[roles.indexOf(role)] ?? []);
  const hipsTrack = new Float32Array(frames * 3);
  for (let frame = 0; frame < frames; frame++)
    hipsTrack.set(positions.subarray(frame * joints * 3, frame * joints * 3 + 3), frame * 3);
  // Only the hips may have positions (VRMC_vrm_animation 1.0).
  const positionTracks = bones.map((_, bone) => (bone === 0 ? hipsTrack : undefined));
  const bodyTracks: BoneTracks = { fps, frames, rotations: rotationTracks, positions: positionTracks };
  const body: Gltf = { json: createSkeleton(data, bones), binary: new Uint8Array() };
  const bodyFile = addAnimation(
    body,
    name,
    bones.map((_, i) => i),
    bodyTracks,
  );
  const hasGaze = face.tracks.some(({ target: [kind] }) => kind === "lookAt");
  const faceTracks = hasGaze ? face.tracks : [...face.tracks, ...gazeOf(eyes, fps)];
  return writeGlb(faceTracks.length > 0 ? addFace(bodyFile, { ...face, tracks: faceTracks }) : bodyFile);
}

/** Creates a document with the nodes of the T-pose and the VRM Animation extension. */
function createSkeleton({ joints: allJoints }: MotionData, bones: readonly Role[]): GltfJson {
  // Eyes, which are left out, have no children.
  const joints = bones.map(
    (role) => allJoints.find(({ name }) => name === VRM_BONES[role]) as MotionData["joints"][number],
  );
  const nodes = joints.map(({ name, offset }) => {
    const children = joints.flatMap(({ parent }, child) => (allJoints[parent]?.name === name ? [child] : []));
    return { name, translation: [...offset], ...(children.length > 0 && { children }) };
  });
  const humanBones = Object.fromEntries(bones.map((role, node) => [VRM_BONES[role], { node }]));
  return {
    asset: { version: "2.0", generator: "Kinestitch" } as GltfJson["asset"],
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes,
    extensionsUsed: [VRMA],
    extensions: { [VRMA]: { specVersion: "1.0", humanoid: { humanBones } } },
  } as GltfJson;
}

/** Adds the tracks of a face, each with a new node. */
function addFace(file: Gltf, { tracks, offsetFromHeadBone }: Face): Gltf {
  const buffer = new BinaryAppender(file.json, file.binary);
  const nodes = [...(file.json.nodes ?? [])];
  const [animation] = file.json.animations as [NonNullable<GltfJson["animations"]>[number]];
  const [channels, samplers] = [[...animation.channels], [...animation.samplers]];
  const { [VRMA]: extension } = (file.json as unknown as { extensions: Record<string, object> }).extensions;
  const expressions: Record<string, Record<string, { node: number }>> = {};
  let lookAt: object | undefined;
  for (const { target, path, times, values, interpolation } of tracks) {
    const node = nodes.push({ name: target.at(-1) as string }) - 1;
    const [input, output] = [buffer.add(times, "SCALAR"), buffer.add(values, path === "rotation" ? "VEC4" : "VEC3")];
    channels.push({ sampler: samplers.push({ input, interpolation, output }) - 1, target: { node, path } });
    if (target[0] === "lookAt") lookAt = { node, ...(offsetFromHeadBone !== undefined && { offsetFromHeadBone }) };
    else (expressions[target[1]] ??= {})[target[2]] = { node };
  }
  const { json, binary } = buffer.finish();
  const scenes = [
    { nodes: [0, ...nodes.keys()].filter((node, i) => i === 0 || node >= (file.json.nodes ?? []).length) },
  ];
  const jsonWithFace = {
    ...json,
    nodes,
    scenes,
    animations: [{ ...animation, channels, samplers }],
    extensions: { [VRMA]: { ...extension, expressions, ...(lookAt && { lookAt }) } },
  };
  return { json: jsonWithFace as GltfJson, binary };
}
