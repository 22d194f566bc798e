/** FBX files, read in a worker of their own, so that no file can hold the page up. */
import {
  TextureLoader,
  type ColorSpace,
  type LoadingManager,
  type Material,
  type Mesh,
  type Object3D,
  type Texture,
  type Wrapping,
} from "three";

/** An embedded picture and its place in a material. */
export interface FbxPicture {
  material: string;
  /** Property of the material, such as `map`. */
  slot: string;
  picture: Blob;
  wrapS: Wrapping;
  wrapT: Wrapping;
  colorSpace: string;
  repeat: [number, number];
  offset: [number, number];
}

export interface FbxAnswer {
  /** The file as a GLB without pictures. Materials have unique names. */
  glb: ArrayBuffer;
  /** Unique names of materials, each with the name in the file. */
  names: [unique: string, name: string][];
  pictures: FbxPicture[];
}

/** Longest time that a file may take, seconds. */
const LONGEST = 20;

/** Reads a file in the worker. Rejects with a sentence; `bytes` are moved there. */
export function convertedFbx(bytes: ArrayBuffer): Promise<FbxAnswer> {
  const worker = new Worker(new URL("./fbx-worker.ts", import.meta.url), { type: "module", name: "fbx" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<FbxAnswer>((resolve, reject) => {
    const fail = (message: string): void => reject(new Error(message));
    timer = setTimeout(
      fail,
      LONGEST * 1000,
      `it takes longer than ${LONGEST} s to read; save it with simpler meshes, or as a GLB`,
    );
    worker.addEventListener("message", ({ data }: MessageEvent<FbxAnswer | { error: string }>) =>
      "error" in data ? fail(data.error) : resolve(data),
    );
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      fail("it is no FBX file that can be read, or too large for this browser's memory");
    });
    worker.postMessage(bytes, [bytes]);
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}

/** Gives the materials of the converted model their names and pictures. */
export function dressFbx(object: Object3D, { names, pictures }: FbxAnswer, manager: LoadingManager): void {
  const loader = new TextureLoader(manager);
  const originals = new Map(names);
  const placed = pictures.map((picture) => ({ ...picture, texture: textureOf(picture, loader) }));
  const done = new Set<Material>();
  object.traverse((node) => {
    const material = (node as Mesh).material as Material | undefined;
    if (!material || done.has(material)) return;
    done.add(material);
    for (const { material: name, slot, texture } of placed) {
      if (name === material.name && slot in material) Object.assign(material, { [slot]: texture, needsUpdate: true });
    }
    material.name = originals.get(material.name) ?? material.name;
  });
}

function textureOf({ picture, wrapS, wrapT, colorSpace, repeat, offset }: FbxPicture, loader: TextureLoader): Texture {
  const address = URL.createObjectURL(picture);
  const forget = (): void => URL.revokeObjectURL(address);
  const texture = loader.load(address, forget, undefined, forget);
  Object.assign(texture, { wrapS, wrapT, colorSpace: colorSpace as ColorSpace });
  texture.repeat.fromArray(repeat);
  texture.offset.fromArray(offset);
  return texture;
}
