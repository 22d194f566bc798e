// Plays glTF files with three.js's loader, in Node: without pictures, and with the makers' decoder of meshopt.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { root } from "../shell.mjs";

const require = createRequire(join(root, "pkg", "package.json"));
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");

/** Splits a file into its JSON and the bytes of each buffer. */
function splitFile(bytes, path) {
  let [json, binary] = [undefined, undefined];
  if (bytes.toString("latin1", 0, 4) === "glTF") {
    for (let at = 12; at + 8 <= bytes.length; ) {
      const [length, kind] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      const chunk = bytes.subarray(at + 8, at + 8 + length);
      if (kind === 0x4e4f534a && !json) json = JSON.parse(chunk.toString("utf8"));
      else if (kind === 0x004e4942) binary ??= chunk;
      at += 8 + Math.ceil(length / 4) * 4;
    }
  } else json = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  const buffers = (json.buffers ?? []).map(({ uri, byteLength }) => {
    if (uri === undefined) return binary ?? Buffer.alloc(byteLength);
    const data = /^data:[^,]*;base64,(.*)$/s.exec(uri);
    return data ? Buffer.from(data[1], "base64") : readFileSync(join(dirname(path), decodeURIComponent(uri)));
  });
  return { json, buffers };
}

/** Replaces what three.js cannot do in Node or does not know: pictures, Draco, and pointers to transforms of nodes. */
function simplify({ json, buffers }) {
  const without = new Set([
    "KHR_draco_mesh_compression",
    "KHR_animation_pointer",
    "KHR_texture_basisu",
    "EXT_texture_webp",
  ]);
  const plain = {
    ...json,
    buffers: buffers.map((bytes, i) => ({
      ...json.buffers[i],
      uri: `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`,
    })),
    extensionsUsed: (json.extensionsUsed ?? []).filter((name) => !without.has(name)),
    extensionsRequired: (json.extensionsRequired ?? []).filter((name) => !without.has(name)),
    materials: undefined,
    textures: undefined,
    images: undefined,
    samplers: undefined,
  };
  for (const mesh of plain.meshes ?? [])
    for (const primitive of mesh.primitives) {
      delete primitive.material;
      if (primitive.extensions) delete primitive.extensions.KHR_materials_variants;
    }
  // Only the motion is judged: meshes that need a decoder are left out.
  const isDraco = ({ primitives }) => primitives.some(({ extensions }) => extensions?.KHR_draco_mesh_compression);
  for (const node of plain.nodes ?? [])
    if (plain.meshes?.[node.mesh] && isDraco(plain.meshes[node.mesh])) delete node.mesh;
  for (const { channels } of plain.animations ?? [])
    for (const { target } of channels) {
      const pointer = target.extensions?.KHR_animation_pointer?.pointer;
      const [, node, path] = /^\/nodes\/(\d+)\/(translation|rotation|scale|weights)$/.exec(pointer ?? "") ?? [];
      if (path) Object.assign(target, { node: Number(node), path });
    }
  for (const animation of plain.animations ?? [])
    animation.channels = animation.channels.filter(({ target }) => target.path !== "pointer");
  return plain;
}

/** Loads a file. Returns the scene, and its animations with the objects by the index of their node. */
export async function openGltf(path, bytes = readFileSync(path)) {
  const file = splitFile(bytes, path);
  const loader = new GLTFLoader();
  if (JSON.stringify(file.json.extensionsUsed ?? []).includes("meshopt"))
    loader.setMeshoptDecoder(require("meshoptimizer/decoder.cjs"));
  const gltf = await loader.parseAsync(JSON.stringify(simplify(structuredClone(file))), "");
  const objects = [];
  for (const [object, reference] of gltf.parser.associations) {
    const { nodes } = reference ?? {};
    if (nodes !== undefined && object.isObject3D && objects[nodes] === undefined) objects[nodes] = object;
  }
  // Nodes that no scene contains are loaded on demand.
  for (let node = 0; node < (file.json.nodes ?? []).length; node++)
    objects[node] ??= await gltf.parser.getDependency("node", node).catch(() => undefined);
  const roots = [...new Set([...gltf.scenes, ...objects.filter((object) => object && !object.parent)])];
  return {
    animations: gltf.animations,
    nodes: (file.json.nodes ?? []).map(({ name, children = [] }, i) => ({
      name: name ?? "",
      children,
      object: objects[i],
    })),
    hasSkin: (file.json.skins ?? []).length > 0,
    roots,
    scene: gltf.scene,
  };
}

/** Returns a function that poses a scene at a time of an animation, seconds; without a time, in its own pose. */
export function play({ scene, roots }, animation) {
  const mixers = (roots ?? [scene]).map((root) => {
    const mixer = new THREE.AnimationMixer(root);
    const action = mixer.clipAction(animation).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    return [mixer, root, action];
  });
  return (time) => {
    for (const [mixer, root, action] of mixers) {
      if (time === undefined) mixer.stopAllAction();
      else {
        action.reset(); // it has ended at an earlier time
        mixer.setTime(time);
      }
      root.updateMatrixWorld(true);
    }
  };
}

/** Returns the box around the bones of a scene in its current pose. */
export function boneBox(scene) {
  const box = new THREE.Box3();
  scene.updateMatrixWorld(true);
  scene.traverse((mesh) => {
    for (const bone of mesh.skeleton?.bones ?? []) box.expandByPoint(bone.getWorldPosition(new THREE.Vector3()));
  });
  return box;
}

/** Whether a mesh hangs at a bone. */
function isAtBone(mesh) {
  for (let node = mesh.parent; node; node = node.parent) if (node.isBone) return true;
  return false;
}

/**
 * Returns the box around the vertices of a body in its current pose: of skinned meshes, and with `rigid` also of meshes
 * that hang at bones, such as the parts of a robot, and weapons.
 */
export function bodyBox(scene, { rigid = false } = {}) {
  const box = new THREE.Box3();
  const point = new THREE.Vector3();
  scene.updateMatrixWorld(true);
  scene.traverse((mesh) => {
    if (!mesh.isMesh || !mesh.geometry.getAttribute("position")) return;
    if (!mesh.isSkinnedMesh && !(rigid && isAtBone(mesh))) return;
    mesh.skeleton?.update();
    const { count } = mesh.geometry.getAttribute("position");
    // Large meshes are sampled: the soles have thousands of vertices there.
    const step = Math.max(1, Math.floor(count / 50_000));
    for (let i = 0; i < count; i += step)
      box.expandByPoint(mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld));
  });
  return box;
}

export { THREE };
