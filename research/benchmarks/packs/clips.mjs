// For packs.mjs and packs-page.mjs: the gaits of a pack, and travel for clips that are made in place.
import { Vector3, VectorKeyframeTrack } from "three";

/** Patterns of clip names by gait; the first clip that matches is used. */
const GAITS = {
  idle: /(^|\|)idle(_loop|_armature|_[0-9]+)?$/i,
  walk: /(^|[|_ ])walk(ing)?(_loop|_armature)?$/i,
  jog: /(^|[|_ ])jog/i,
  run: /(^|[|_ ])run(ning)?(_loop|_armature)?$/i,
  sprint: /(^|[|_ ])sprint/i,
};
/** Speeds of the gaits of a person of 1.7 m, m/s. */
const SPEEDS = { idle: 0, walk: 1.4, jog: 2.8, run: 3.8, sprint: 6 };

/** Returns a clip for each gait that a pack has. */
export function gaitClips(animations) {
  const gaits = Object.entries(GAITS).map(([gait, pattern]) => {
    const matching = animations.filter(({ name, duration }) => pattern.test(name) && duration > 0.3);
    return [gait, matching.find(({ name }) => /_loop/i.test(name)) ?? matching[0]];
  });
  return Object.fromEntries(gaits.filter(([, clip]) => clip));
}

/**
 * Returns a model with its bones by role, its height in metres, and the bones to which travel may be added: "hips", and
 * "root", a bone above the hips.
 */
export async function actorOf({ scene }, kinestitch) {
  scene.updateMatrixWorld(true);
  const rest = await kinestitch.load(kinestitch.restOfObject(scene));
  const { rig } = await rest.info();
  rest.free();
  const bones = [];
  scene.traverse((node) => node.isBone && bones.push(node));
  const byName = (name) => bones.find((bone) => bone.name === name);
  const legs = bones.filter(({ name }) => /^(?!.*(twist|target)).*(up(per)?_?leg|thigh)/i.test(name));
  const isAbove = (bone, other) => {
    for (let node = other.parent; node; node = node.parent) if (node === bone) return true;
    return false;
  };
  const hips =
    bones.findLast((bone) => legs.length > 1 && legs.every((leg) => isAbove(bone, leg))) ??
    byName(rig.Hips) ??
    bones[0];
  const heights = bones.map((bone) => bone.getWorldPosition(new Vector3()).y);
  const feet = ["LeftToe", "RightToe", "LeftFoot", "RightFoot"].map((role) => byName(rig[role])).filter(Boolean);
  const ancestors = [];
  for (let node = hips.parent; node?.isBone; node = node.parent) ancestors.push(node);
  // Feet that hang at the root, as in RobotExpressive, would stay behind the hips.
  const carriesFeet = bones.every((bone) => !/foot/i.test(bone.name) || isAbove(hips, bone));
  const travelBones = new Map([
    ...(carriesFeet ? [["hips", hips]] : []),
    ...(ancestors.length > 0 ? [["root", ancestors.at(-1)]] : []),
  ]);
  const sides = ["UpLeg", "Arm"].flatMap((part) => {
    const pair = ["Left", "Right"].map((side) => byName(rig[side + part]));
    return pair.every(Boolean) ? [pair] : [];
  });
  return {
    scene,
    kinestitch,
    rig,
    bones,
    hips,
    feet,
    sides,
    travelBones,
    size: Math.max(...heights) - Math.min(...heights),
  };
}

/** Returns a copy of an in-place clip in which a bone travels forwards; without a bone, the clip itself. */
export function withTravel({ scene, size }, clip, gait, bone) {
  const speed = (SPEEDS[gait] * size) / 1.6;
  if (!bone || speed === 0) return clip.clone();
  const copy = clip.clone();
  const name = copy.tracks.some((track) => track.name === `${bone.uuid}.position`) ? bone.uuid : bone.name;
  const old = copy.tracks.find((track) => track.name === `${name}.position`);
  const interpolant = old?.createInterpolant();
  const frames = Math.max(2, Math.round(clip.duration * 30) + 1);
  const times = Array.from({ length: frames }, (_, frame) => (frame / (frames - 1)) * clip.duration);
  // The pack's models face +z of the scene; the parents of the bone are not animated.
  const forwards = facingOf(scene);
  const values = times.flatMap((time) => {
    const position = interpolant ? new Vector3(...interpolant.evaluate(time)) : bone.position.clone();
    const world = bone.parent.localToWorld(position).addScaledVector(forwards, speed * time);
    return bone.parent.worldToLocal(world).toArray();
  });
  copy.tracks = [
    ...copy.tracks.filter((track) => track !== old),
    new VectorKeyframeTrack(`${name}.position`, times, values),
  ];
  return copy;
}

/** Returns the direction in which a model at rest faces: of its feet or, without toes, +z. */
function facingOf(scene) {
  const forwards = new Vector3(0, 0, 1);
  scene.traverse((node) => {
    if (!node.isBone || !/toe(base)?[_.]?l?$|lefttoe/i.test(node.name) || !node.parent) return;
    const toe = node.getWorldPosition(new Vector3()).sub(node.parent.getWorldPosition(new Vector3()));
    forwards.set(0, 0, toe.z < 0 ? -1 : 1);
  });
  return forwards;
}
