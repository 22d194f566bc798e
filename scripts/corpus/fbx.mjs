// Plays FBX files with three.js's loader, in Node, without pictures.
import { readFileSync } from "node:fs";
import { THREE } from "./gltf.mjs";

globalThis.window ??= { innerWidth: 1, innerHeight: 1, URL: { createObjectURL: () => "" } };
const { FBXLoader } = await import("three/addons/loaders/FBXLoader.js");

/** Loads no pictures. */
class NoPictures extends THREE.Loader {
  load() {
    return new THREE.Texture();
  }
}

/** Loads a file. Returns the scene in metres, and its animations. */
export async function openFbx(path) {
  const bytes = readFileSync(path);
  const manager = new THREE.LoadingManager();
  manager.addHandler(/./, new NoPictures(manager));
  const object = new FBXLoader(manager).parse(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    "",
  );
  const unit = Number((object.parent ?? object).userData.unitScaleFactor) || 1;
  const scene = new THREE.Group().add(object);
  scene.scale.setScalar(unit / 100);
  const nodes = [];
  let hasSkin = false;
  object.traverse((node) => {
    nodes.push({ name: node.name, object: node });
    hasSkin ||= node.isSkinnedMesh === true;
  });
  const indices = new Map(nodes.map(({ object }, i) => [object, i]));
  for (const node of nodes) node.children = node.object.children.map((child) => indices.get(child));
  // The loader also makes tracks of damaged or unsupported curves, which have no value for some keys.
  const isWhole = ({ name, times, values }) =>
    values.length === times.length * (name.endsWith(".quaternion") ? 4 : /\.(position|scale)$/.test(name) ? 3 : 1);
  for (const animation of object.animations) animation.tracks = animation.tracks.filter(isWhole);
  const animations = object.animations.filter(({ tracks }) => tracks.length > 0);
  for (const { tracks } of animations)
    for (const track of tracks) if (track.name.startsWith(".")) track.name = object.uuid + track.name;
  return { scene, animations, nodes, hasSkin };
}
