// For tests of glTF files: their JSON and bytes, and the lowest vertex of a character while its animation plays.
import { AnimationMixer } from "three";
import { loadGlb } from "./rigs.mjs";

/** Returns the JSON of a GLB, and the bytes of its buffer. */
export function parts(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = 20 + view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(file.subarray(20, end)));
  return { json, binary: file.subarray(end + 8) };
}

/** Returns the JSON of a GLB. */
export const documentOf = (file) => parts(file).json;

/** Returns the height of the lowest vertex in five poses of the first animation, as three.js plays it, metres. */
export async function lowestSole(file) {
  const { scene, animations } = await loadGlb(file);
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  let lowest = Infinity;
  for (let pose = 0; pose < 5; pose++) {
    mixer.setTime((animations[0].duration * pose) / 5);
    scene.updateMatrixWorld(true);
    scene.traverse((node) => {
      if (!node.isSkinnedMesh) return;
      node.computeBoundingBox();
      lowest = Math.min(lowest, node.boundingBox.clone().applyMatrix4(node.matrixWorld).min.y);
    });
  }
  return lowest;
}
