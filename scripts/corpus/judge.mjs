// Judges one file: compares what the package reads and writes with independent readers.
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import validator from "gltf-validator";
import { readBvh } from "./bvh.mjs";
import { openFbx } from "./fbx.mjs";
import { bodyBox, boneBox, openGltf, play, THREE } from "./gltf.mjs";

/** Limits: metres, frames, and parts of the height. Positions of far or large bodies are rounded, to a part of them. */
const [MAX_DISTANCE, MAX_FRAMES, MAX_SOLES, MAX_ROUNDING] = [1e-3, 0.5, 0.03, 1e-5];
const INSTANTS = [0, 1, 2, 3, 4];
const sanitize = (name) => THREE.PropertyBinding.sanitizeNodeName(name);
const messageOf = (error) => String(error?.message ?? error).slice(0, 200);

/** Collects the results of the checks of a file. */
class Report {
  failures = [];
  notes = [];
  checks = 0;
  motions = 0;
  motionsOff = 0;
  characters = 0;
  charactersOff = 0;
  worst = 0;

  /** Records a check; `failure` is its text if it failed. */
  check(isFine, failure) {
    this.checks++;
    if (!isFine) this.failures.push(failure);
    return isFine;
  }
}

/** Returns the frame of each instant. */
const frameAt = (instant, frames) => Math.round(((frames - 1) * instant) / 4);

/** Returns the largest distance from reference positions at five instants, and the joint. `referenceAt`: frame → list. */
function largestDistance(clip, joints, referenceAt) {
  const positions = clip.positions();
  let [worst, where, size] = [0, "", 1];
  for (const instant of INSTANTS) {
    const frame = frameAt(instant, clip.frames);
    referenceAt(frame).forEach((point, joint) => {
      if (!point) return;
      const start = (frame * joints.length + joint) * 3;
      const distance = Math.hypot(...point.map((value, axis) => value - positions[start + axis]));
      size = Math.max(size, ...point.map(Math.abs));
      if (!(distance <= worst)) [worst, where] = [distance, `${joints[joint].name} at frame ${frame}`];
    });
  }
  return { worst, where, limit: Math.max(MAX_DISTANCE, MAX_ROUNDING * size) };
}

/** Returns the node of each joint: nodes of one name are told apart by their parents. */
function matchNodes(joints, nodes) {
  const parents = new Array(nodes.length).fill(-1);
  nodes.forEach(({ children }, parent) => children.forEach((child) => (parents[child] = parent)));
  const used = new Set();
  const matched = [];
  joints.forEach(({ name, parent }) => {
    const plain = (text) => sanitize(text);
    const fits = (node) => !used.has(node) && (parent < 0 || parents[node] === matched[parent]);
    const named = nodes.flatMap((node, i) => (plain(node.name) === plain(name) && fits(i) ? [i] : []));
    const renamed = nodes.flatMap((node, i) => {
      const base = plain(node.name);
      return base && plain(name).replace(/_\d+$/, "") === base.replace(/_\d+$/, "") && fits(i) ? [i] : [];
    });
    // The package numbers nodes without a name.
    const isNameless = /^bone \d+(_\d+)?$/.test(name);
    const nameless = nodes.flatMap(({ name, object }, i) =>
      isNameless && !name && object?.isBone && fits(i) ? [i] : [],
    );
    const [node] = [...named, ...renamed, ...nameless];
    if (node !== undefined) used.add(node);
    matched.push(node);
  });
  return matched.map((node) => nodes[node]?.object);
}

/** Compares a motion with an animation of three.js. */
function compareWithThree(report, label, clip, { source, animation }) {
  const { joints } = clip.info();
  const scale = clip.scaledFromCentimetres ? 0.01 : 1;
  const objects = matchNodes(joints, source.nodes);
  const seek = play(source, animation);
  const from = Math.min(...animation.tracks.flatMap(({ times }) => [times[0]]));
  const { worst, where, limit } = largestDistance(clip, joints, (frame) => {
    seek(Math.min(from + frame / clip.fps, animation.duration));
    return objects.map((object) =>
      object
        ?.getWorldPosition(new THREE.Vector3())
        .toArray()
        .map((x) => x * scale),
    );
  });
  seek();
  const matched = objects.filter(Boolean).length;
  report.check(matched >= joints.length * 0.9, `${label}: only ${matched} of ${joints.length} joints are nodes`);
  report.worst = Math.max(report.worst, worst);
  return report.check(worst <= limit, `${label}: ${(worst * 1000).toFixed(1)} mm off, ${where}`);
}

/** Writes a motion as GLB and BVH, and compares the copies. */
async function judgeCopies(kinestitch, report, label, clip) {
  const { joints } = clip.info();
  const positions = clip.positions();
  const original = (frame) =>
    joints.map((_, joint) => [
      ...positions.subarray((frame * joints.length + joint) * 3, (frame * joints.length + joint) * 3 + 3),
    ]);
  const glb = await clip.toGlb();
  const { issues } = await validator.validateBytes(glb, { maxIssues: 5 });
  report.check(issues.numErrors === 0, `${label}: written GLB is invalid: ${issues.messages[0]?.message}`);
  for (const [format, content] of [
    ["GLB", glb],
    ["BVH", await clip.toBvh()],
  ]) {
    const copy = await kinestitch.load(content);
    const same = copy.frames === clip.frames && copy.info().joints.length === joints.length;
    const rate = `${copy.frames} frames at ${copy.fps} instead of ${clip.frames} at ${clip.fps}`;
    if (!report.check(same && Math.abs(copy.fps / clip.fps - 1) < 1e-3, `${label}, ${format}: ${rate}`)) continue;
    const { worst, where, limit } = largestDistance(copy, joints, original);
    report.check(worst <= limit, `${label}, ${format}: ${(worst * 1000).toFixed(1)} mm off, ${where}`);
  }
  const written = await openGltf("", Buffer.from(glb));
  const objects = matchNodes(joints, written.nodes);
  const [animation] = written.animations;
  const seek = play(written, animation);
  const { worst, where, limit } = largestDistance(clip, joints, (frame) => {
    seek(Math.min(frame / clip.fps, animation.duration));
    return objects.map((object) => object?.getWorldPosition(new THREE.Vector3()).toArray());
  });
  report.check(worst <= limit, `${label}, GLB in three.js: ${(worst * 1000).toFixed(1)} mm off, ${where}`);
}

/** Judges one animation of a file that three.js reads. `name`: its name in the package. */
async function judgeAnimation(kinestitch, report, path, { source, animation, name }) {
  const label = name ?? animation.name;
  report.motions++;
  const before = report.failures.length;
  try {
    const clip = await kinestitch.load(path, name === undefined ? {} : { animation: name });
    clip.scaledFromCentimetres = clip.info().warnings.some((text) => text.includes("over 20 m tall"));
    const from = Math.min(...animation.tracks.flatMap(({ times }) => [times[0]]));
    const seconds = (clip.frames - 1) / clip.fps;
    // Tracks of properties other than transforms may be longer.
    const isLength = Math.abs(seconds - (lastKey(animation) - from)) <= MAX_FRAMES / clip.fps + 1e-4;
    report.check(isLength, `${label}: ${seconds.toFixed(4)} s instead of ${(lastKey(animation) - from).toFixed(4)} s`);
    compareWithThree(report, label, clip, { source, animation });
    await judgeCopies(kinestitch, report, label, clip);
  } catch (error) {
    report.check(false, `${label}: ${messageOf(error)}`);
  }
  if (report.failures.length > before) report.motionsOff++;
}

/** Returns the last key of the tracks of transforms, seconds. */
const lastKey = ({ tracks }) =>
  Math.max(
    ...tracks.filter(({ name }) => /\.(position|quaternion|scale)$/.test(name)).map(({ times }) => times.at(-1)),
  );

/** Puts a walk on a character, which must stand on its soles. */
async function judgeCharacter(kinestitch, report, path) {
  let file;
  try {
    file = await kinestitch.animateGlb(path, kinestitch.walk);
  } catch (error) {
    report.notes.push(`no character: ${messageOf(error)}`);
    return;
  }
  report.characters++;
  const plain = await kinestitch.packGlb(file).catch(() => file);
  const { scene, animations } = await openGltf("", Buffer.from(plain));
  const bones = boneBox(scene);
  // A body of rigid parts is measured on them; things in the hands of a skinned body may touch the ground.
  const rigid = !(bodyBox(scene).min.y < bones.min.y + 0.05 * (bones.max.y - bones.min.y));
  const mesh = bodyBox(scene, { rigid });
  if (mesh.isEmpty()) return;
  const height = Math.max(mesh.max.y - mesh.min.y, bones.max.y - bones.min.y);
  const distance = mesh.getCenter(new THREE.Vector3()).distanceTo(bones.getCenter(new THREE.Vector3()));
  if (distance > 2 * height) {
    report.notes.push(`the mesh is ${distance.toFixed(1)} m from its bones`);
    return;
  }
  const seek = play({ scene }, animations[0]);
  let lowest = Infinity;
  for (const instant of INSTANTS) {
    seek((animations[0].duration * instant) / 4);
    lowest = Math.min(lowest, bodyBox(scene, { rigid }).min.y);
  }
  const part = lowest / height;
  const text = `walk: soles at ${(lowest * 100).toFixed(1)} cm, ${(part * 100).toFixed(1)} % of the height`;
  if (!report.check(Math.abs(part) <= MAX_SOLES, text)) report.charactersOff++;
  const { issues } = await validator.validateBytes(file, { maxIssues: 5 });
  const { issues: before } = await validator
    .validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 5 })
    .catch(() => ({ issues: { numErrors: 1 } }));
  report.check(
    issues.numErrors === 0 || before.numErrors > 0,
    `walk: the GLB is invalid: ${issues.messages[0]?.message}`,
  );
}

/** Judges a file that three.js reads. */
async function judgeScene(kinestitch, report, path, { animations: limit }) {
  const isFbx = extname(path).toLowerCase() === ".fbx";
  let source;
  try {
    source = isFbx ? await openFbx(path) : await openGltf(path);
  } catch (error) {
    const refusal = await kinestitch.load(path).then(() => undefined, messageOf);
    report.notes.push(`three.js: ${messageOf(error)}`, ...(refusal ? [`kinestitch: ${refusal}`] : []));
    return refusal ? "damaged" : "unjudged";
  }
  const moving = source.animations.filter(({ tracks }) =>
    tracks.some(({ name }) => /\.(position|quaternion|scale)$/.test(name)),
  );
  const names = await kinestitch.animations(path).catch(() => []);
  const hasNames = !isFbx && names.length === source.animations.length;
  const step = Math.max(1, Math.ceil(moving.length / limit));
  for (const animation of moving.filter((_, i) => i % step === 0)) {
    const name = hasNames ? names[source.animations.indexOf(animation)] : undefined;
    if (name === undefined && animation !== moving[0]) continue;
    await judgeAnimation(kinestitch, report, path, { source, animation, name });
  }
  if (source.hasSkin && !isFbx) await judgeCharacter(kinestitch, report, path);
  return moving.length === 0 && report.characters === 0 ? "nothing" : "ok";
}

/** Judges a BVH file with the reader in bvh.mjs. */
async function judgeBvh(kinestitch, report, path) {
  const text = readFileSync(path, "latin1");
  const reference = readBvh(text);
  if (!(reference.joints.length > 0 && reference.frames > 0)) {
    report.notes.push("no motion");
    return "damaged";
  }
  report.motions++;
  try {
    const clip = await kinestitch.load(path);
    const { joints, metresPerUnit, upAxis, guesses } = clip.info();
    // How root channels are meant is a guess, which no reader can judge; a file may hold further bodies.
    const addsRoot = guesses?.rootOffset.startsWith("add") === true;
    const sources = joints.map(({ name }) => reference.joints.findIndex((joint) => joint.name === name));
    report.check(clip.frames === reference.frames, `${clip.frames} frames instead of ${reference.frames}`);
    const rate = clip.fps * reference.frameTime;
    report.check(
      Math.abs(rate - 1) * clip.frames < MAX_FRAMES,
      `${clip.fps} frames a second instead of ${1 / reference.frameTime}`,
    );
    const toMetres = ([x, y, z]) => (upAxis === "Z" ? [x, z, -y] : [x, y, z]).map((value) => value * metresPerUnit);
    const positionsOf = (frame) => {
      const all = reference.positionsAt(frame, addsRoot).map(toMetres);
      return all.length === joints.length ? all : sources.map((source) => all[source]);
    };
    const { worst, where, limit } = largestDistance(clip, joints, positionsOf);
    report.worst = worst;
    report.check(worst <= limit, `${(worst * 1000).toFixed(1)} mm off, ${where}`);
    await judgeCopies(kinestitch, report, "copy", clip);
  } catch (error) {
    report.check(false, messageOf(error));
  }
  if (report.failures.length > 0) report.motionsOff++;
  return "ok";
}

/** Judges a file. Returns its verdict, the numbers of checks, motions and characters, and the failures in words. */
export async function judgeFile(kinestitch, path, options) {
  const report = new Report();
  const isBvh = extname(path).toLowerCase() === ".bvh";
  const verdict = isBvh
    ? await judgeBvh(kinestitch, report, path)
    : await judgeScene(kinestitch, report, path, options);
  const isOff = report.failures.length > 0;
  const isRefused = isOff && report.worst === 0 && report.motionsOff === report.motions && report.charactersOff === 0;
  return { ...report, verdict: isRefused ? "refused" : isOff ? "off" : verdict };
}
