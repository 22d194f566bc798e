/** Reads and exports models with three.js. Imported when the first model is opened, so that the page starts sooner. */
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
import type { ConvertedFbx } from "kinestitch/fbx";
import { checkModelSize } from "../core/limits";
import { NO_PICTURE } from "../core/no-picture";
import { restoreFbxMaterials } from "./fbx-pictures";

export { Puppet } from "./puppet";
export { poseObject, restOfObject, toAnimationClip };

/** A model from a file. */
export interface Model {
  object: Object3D;
  /** Whether the model has a skinned mesh of a body, so that it can be a character. */
  isSkinned: boolean;
  /** Whether the model has meshes of a body, with a skin or without. */
  hasMeshes: boolean;
  /** Creates a copy that is posed independently. All copies share geometry and materials. */
  copy(): Object3D;
}

/**
 * Reads a model from a GLB that `packGlb` has checked. `fbx`: names and pictures of materials, if the GLB was converted
 * from an FBX file. If the model cannot be read, rejects with an error whose message is shown to the user.
 */
export async function readModel(file: File, fbx?: Omit<ConvertedFbx, "glb">): Promise<Model> {
  const bytes = await checkModelSize(file).arrayBuffer();
  const manager = new LoadingManager();
  // External pictures are not loaded, so that the model causes no requests.
  manager.setURLModifier((url) => (/^(blob|data):/.test(url) ? url : NO_PICTURE));
  const { object, isPlainExport } = await readGlb(bytes, manager);
  if (fbx) restoreFbxMaterials(object, fbx, manager);
  makeNamesUnique(object);
  let [isSkinned, hasMeshes] = [false, false];
  object.traverse((node) => {
    const mesh = node as SkinnedMesh;
    if (!mesh.isMesh) return;
    hasMeshes = true;
    isSkinned ||= mesh.isSkinnedMesh;
    mesh.castShadow = true;
    // three.js computes the bounds from the rest pose; they do not follow the motion.
    mesh.frustumCulled = false;
  });
  // Exports of Kinestitch without a character contain a skinned mesh that shows the bones, which is not a body.
  return {
    object,
    isSkinned: isSkinned && !isPlainExport,
    hasMeshes: hasMeshes && !isPlainExport,
    copy: () => clone(object),
  };
}

/** Loads a GLB with three.js. `isPlainExport`: whether it is an export of Kinestitch without a character. */
async function readGlb(
  bytes: ArrayBuffer,
  manager: LoadingManager,
): Promise<{ object: Object3D; isPlainExport: boolean }> {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader(manager);
  // Loads pictures by image elements. Image bitmaps would be fetched, which the page's security policy forbids.
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
      throw new Error("its compression is not supported; save it without Draco, meshopt and KTX2");
    throw error;
  }
}

/** Makes all node names unique, because animation tracks refer to nodes by name. */
function makeNamesUnique(object: Object3D): void {
  const names = new Set<string>();
  object.traverse((node) => {
    const sanitized = PropertyBinding.sanitizeNodeName(node.name);
    let name = sanitized;
    for (let i = 2; name && names.has(name); i++) name = `${sanitized}_${i}`;
    names.add(name);
    if (name !== node.name) node.name = name;
  });
}

/** Exports a model with one animation as a GLB. Used for FBX files; other files are edited by `animateGlb`. */
export async function exportModel(model: Model, animation: AnimationClip): Promise<Uint8Array<ArrayBuffer>> {
  const { GLTFExporter } = await import("three/addons/exporters/GLTFExporter.js");
  const result = await new GLTFExporter().parseAsync(model.object, { binary: true, animations: [animation] });
  return new Uint8Array(result as ArrayBuffer);
}
