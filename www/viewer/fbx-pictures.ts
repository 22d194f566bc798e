/** Names and pictures of materials in models that were FBX files. */
import {
  TextureLoader,
  type ColorSpace,
  type LoadingManager,
  type Material,
  type Mesh,
  type Object3D,
  type Texture,
} from "three";
import type { FbxAnswer, FbxPicture } from "../core/fbx";

/** Gives the materials of the converted model their names and pictures. */
export function dressFbx(object: Object3D, { names, pictures }: Omit<FbxAnswer, "glb">, manager: LoadingManager): void {
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
