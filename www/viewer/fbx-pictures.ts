/** Restores the names and pictures of materials in models that were converted from FBX files. */
import {
  TextureLoader,
  type ColorSpace,
  type LoadingManager,
  type Material,
  type Mesh,
  type Object3D,
  type Texture,
} from "three";
import type { ConvertedFbx, FbxPicture } from "kinestitch/fbx";

/** Gives the materials of a converted model their original names and their pictures. */
export function restoreFbxMaterials(
  object: Object3D,
  { names, pictures }: Omit<ConvertedFbx, "glb">,
  manager: LoadingManager,
): void {
  const loader = new TextureLoader(manager);
  const originalNames = new Map(names);
  const textures = pictures.map((picture) => ({ ...picture, texture: textureOf(picture, loader) }));
  const visited = new Set<Material>();
  object.traverse((node) => {
    const material = (node as Mesh).material as Material | undefined;
    if (!material || visited.has(material)) return;
    visited.add(material);
    for (const { material: name, slot, texture } of textures) {
      if (name === material.name && slot in material) Object.assign(material, { [slot]: texture, needsUpdate: true });
    }
    material.name = originalNames.get(material.name) ?? material.name;
  });
}

function textureOf({ picture, wrapS, wrapT, colorSpace, repeat, offset }: FbxPicture, loader: TextureLoader): Texture {
  const url = URL.createObjectURL(picture);
  const release = (): void => URL.revokeObjectURL(url);
  const texture = loader.load(url, release, undefined, release);
  Object.assign(texture, { wrapS, wrapT, colorSpace: colorSpace as ColorSpace });
  texture.repeat.fromArray(repeat);
  texture.offset.fromArray(offset);
  return texture;
}
