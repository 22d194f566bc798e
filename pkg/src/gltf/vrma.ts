/** Writes motions as VRM Animation files (VRMC_vrm_animation 1.0). */
import type { BoneTracks } from "../bones/character.js";
import { IDENTITY, type Vector } from "../bones/rotation.js";
import type { Clip, ClipInfo, JointInfo, MotionData, Role, WorkerClip } from "../core/types.js";
import { KinestitchError } from "../core/error.js";
import { writeGlb } from "./container.js";
import type { Gltf, GltfJson } from "./document.js";
import type { Face } from "./face.js";
import { VRM_BONES, VRMA } from "./humanoid.js";
import { BinaryAppender, addAnimation } from "./write.js";

/** Bones of the humanoid in a T-pose (facing +z, left side at +x): role, parent, and direction from the parent. */
const T_POSE: readonly (readonly [Role, Role | undefined, Vector])[] = [
  ["Hips", undefined, [0, 1, 0]],
  ["Spine", "Hips", [0, 1, 0]],
  ["Spine1", "Spine", [0, 1, 0]],
  ["Spine2", "Spine1", [0, 1, 0]],
  ["Neck", "Spine2", [0, 1, 0]],
  ["Head", "Neck", [0, 1, 0]],
  ...(["Left", "Right"] as const).flatMap((side): [Role, Role, Vector][] => {
    const x = side === "Left" ? 1 : -1;
    return [
      [`${side}Shoulder`, "Spine2", [x * 0.4, 0.9, 0]],
      [`${side}Arm`, `${side}Shoulder`, [x, 0, 0]],
      [`${side}ForeArm`, `${side}Arm`, [x, 0, 0]],
      [`${side}Hand`, `${side}ForeArm`, [x, 0, 0]],
      [`${side}UpLeg`, "Hips", [x, -0.3, 0]],
      [`${side}Leg`, `${side}UpLeg`, [0, -1, 0]],
      [`${side}Foot`, `${side}Leg`, [0, -1, 0]],
      [`${side}Toe`, `${side}Foot`, [0, -0.4, 1]],
    ];
  }),
];
/** Bones that the VRM Animation format requires. */
const REQUIRED: readonly Role[] = T_POSE.map(([role]) => role).filter(
  (role) => !/Spine[12]|Neck|Shoulder|Toe/.test(role),
);
/** Height of an ankle above the ground, as a fraction of the shin. */
const ANKLE_HEIGHT = 0.2;
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

/** Creates VRM's T-pose with the bone lengths of a clip, as a target for retargeting. */
function createTPose({ rig: clipRig, joints, name }: ClipInfo): { data: MotionData; roles: Role[] } {
  const rig = { ...clipRig };
  // VRM allows an upper chest only if there is a chest.
  if (rig.Spine2 && !rig.Spine1) [rig.Spine1, rig.Spine2] = [rig.Spine2, undefined as never];
  const missing = REQUIRED.find((role) => !rig[role]);
  if (missing) {
    throw new KinestitchError(
      "rig",
      `a VRM Animation needs a bone ${VRM_BONES[missing]}, but no bone of ${name} is mapped to ${missing}; ` +
        "correct the mapping with the option rig",
    );
  }
  const restPositions = jointPositions(joints);
  const positionOf = (role: Role): Vector =>
    restPositions[joints.findIndex((joint) => joint.name === rig[role])] as Vector;
  const roles = T_POSE.map(([role]) => role).filter((role) => rig[role]);
  const parents = new Map(T_POSE.map(([role, parent]) => [role, parent]));
  const parentOf = (role: Role): Role | undefined => {
    let parent = parents.get(role);
    while (parent && !rig[parent]) parent = parents.get(parent);
    return parent;
  };
  const length = (role: Role): number => {
    const parent = parentOf(role);
    const [a, b] = [positionOf(role), parent ? positionOf(parent) : positionOf(role)];
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  // Hips above the ground: the vertical parts of the leg's bones in T_POSE, and the height of the ankle.
  const height =
    (length("LeftUpLeg") * 0.3) / Math.hypot(1, 0.3) + length("LeftLeg") + length("LeftFoot") * (1 + ANKLE_HEIGHT);
  const offsets = T_POSE.filter(([role]) => rig[role]).map(([role, , [x, y, z]]): [number, number, number] => {
    if (role === "Hips") return [0, height, 0];
    const scale = length(role) / Math.hypot(x, y, z);
    return [x * scale, y * scale, z * scale];
  });
  const data: MotionData = {
    name,
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

/** Retargets a clip to VRM's T-pose and writes a VRM Animation file with the face's tracks. */
export async function writeVrma(clip: Clip | WorkerClip, name: string, face: Face): Promise<Uint8Array<ArrayBuffer>> {
  const { data, roles } = createTPose(await clip.info());
  const retargeted = await (clip as WorkerClip).retarget(data);
  const [rotations, positions] = await Promise.all([retargeted.rotations(), retargeted.positions()]);
  const { frames, fps } = retargeted;
  retargeted.free();
  const bones = roles.length;
  const rotationTracks = roles.map((_, bone) => {
    const track = new Float32Array(frames * 4);
    for (let frame = 0; frame < frames; frame++)
      track.set(rotations.subarray((frame * bones + bone) * 4, (frame * bones + bone + 1) * 4), frame * 4);
    return track;
  });
  const hipsTrack = new Float32Array(frames * 3);
  for (let frame = 0; frame < frames; frame++)
    hipsTrack.set(positions.subarray(frame * bones * 3, frame * bones * 3 + 3), frame * 3);
  // Only the hips may have positions (VRMC_vrm_animation 1.0).
  const positionTracks = roles.map((_, bone) => (bone === 0 ? hipsTrack : undefined));
  const tracks: BoneTracks = { fps, frames, rotations: rotationTracks, positions: positionTracks };
  const body: Gltf = { json: createSkeleton(data, roles), binary: new Uint8Array() };
  const bodyFile = addAnimation(
    body,
    name,
    roles.map((_, i) => i),
    tracks,
  );
  return writeGlb(face.tracks.length > 0 ? addFace(bodyFile, face) : bodyFile);
}

/** Creates a document with the nodes of the T-pose and the VRM Animation extension. */
function createSkeleton({ joints }: MotionData, roles: readonly Role[]): GltfJson {
  const nodes = joints.map(({ name, offset }, bone) => {
    const children = joints.flatMap(({ parent }, child) => (parent === bone ? [child] : []));
    return { name, translation: offset, ...(children.length > 0 && { children }) };
  });
  const humanBones = Object.fromEntries(roles.map((role, node) => [VRM_BONES[role], { node }]));
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
