/** Models of GLB, VRM and FBX files as loaded by three.js. Loaded with the first model, and so are its loaders. */
import {
  LoadingManager,
  PropertyBinding,
  TextureLoader,
  type AnimationClip,
  type Object3D,
  type SkinnedMesh,
} from "three";
import { clone } from "three/addons/utils/SkeletonUtils.js";
import { poseObject, restOfObject, toAnimationClip } from "kinestitch/three";
import type { ConvertedFbx } from "../core/fbx";
import { checkModelSize } from "../core/limits";
import { restoreFbxMaterials } from "./fbx-pictures";

export { Puppet } from "./puppet";
export { poseObject, restOfObject, toAnimationClip };

/** A model of a file. */
export interface Model {
  object: Object3D;
  /** Whether it has a skin, so that it can move like a body. */
  skinned: boolean;
  /** A copy that moves independently; both share geometry and materials. */
  copy(): Object3D;
}

/** Replaces external pictures: nothing is requested. */
const NO_PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

/** Reads a model of a GLB checked by `packGlb`; `fbx`: what it lacks where it was an FBX file. Rejects with a sentence. */
export async function readModel(file: File, fbx?: Omit<ConvertedFbx, "glb">): Promise<Model> {
  const bytes = await checkModelSize(file).arrayBuffer();
  const manager = new LoadingManager();
  manager.setURLModifier((url) => (/^(blob|data):/.test(url) ? url : NO_PICTURE));
  const { object, isPlainExport } = await readGlb(bytes, manager);
  if (fbx) restoreFbxMaterials(object, fbx, manager);
  makeNamesUnique(object);
  let skinned = false;
  object.traverse((node) => {
    const mesh = node as SkinnedMesh;
    if (!mesh.isMesh) return;
    skinned ||= mesh.isSkinnedMesh;
    mesh.castShadow = true;
    // Bounds are those of the rest pose, which the body leaves.
    mesh.frustumCulled = false;
  });
  // The mesh of bones in our own exports is not a body.
  return { object, skinned: skinned && !isPlainExport, copy: () => clone(object) };
}

/** `plain`: whether the file is an export of ours without a body. */
async function readGlb(
  bytes: ArrayBuffer,
  manager: LoadingManager,
): Promise<{ object: Object3D; isPlainExport: boolean }> {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader(manager);
  // Image elements: bitmaps would be fetched, which the page's policy forbids even for embedded pictures.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(manager);
    return { name: "image elements" };
  });
  try {
    const { scene, asset } = await loader.parseAsync(bytes, "");
    return {
      object: scene,
      isPlainExport: asset.generator?.startsWith("Kinestitch") === true && scene.getObjectByName("Bones") !== undefined,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/DRACO|meshopt|KTX2/i.test(message))
      throw new Error("it is compressed which is not supported; save it without compression (Draco, meshopt, KTX2)");
    throw error;
  }
}

/** Unique node names for tracks, in every copy. */
function makeNamesUnique(object: Object3D): void {
  const names = new Set<string>();
  object.traverse((node) => {
    const plain = PropertyBinding.sanitizeNodeName(node.name);
    let name = plain;
    for (let i = 2; name && names.has(name); i++) name = `${plain}_${i}`;
    names.add(name);
    if (name !== node.name) node.name = name;
  });
}

/** A model with one animation, as a GLB: for models that are not GLB files. */
export async function exportModel(model: Model, animation: AnimationClip): Promise<Uint8Array<ArrayBuffer>> {
  const { GLTFExporter } = await import("three/addons/exporters/GLTFExporter.js");
  const result = await new GLTFExporter().parseAsync(model.object, { binary: true, animations: [animation] });
  return new Uint8Array(result as ArrayBuffer);
}
