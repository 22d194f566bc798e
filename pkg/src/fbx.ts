/**
 * Entry point `kinestitch/fbx`: converts FBX files to GLB with three.js's loader, after a check of the bytes. Call it in
 * a worker, which can be stopped: no time limit holds inside it. In Node, `load` does this by itself.
 * @module kinestitch/fbx
 */
import {
  type AnimationClip,
  Group,
  type KeyframeTrack,
  Loader,
  LoadingManager,
  type Material,
  type Mesh,
  type Object3D,
  PropertyBinding,
  Texture,
  type Wrapping,
} from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";
import { FBXLoader } from "three/addons/loaders/FBXLoader.js";
import { checkFbx } from "./fbx/check.js";

/** An embedded picture and the material that uses it. */
export interface FbxPicture {
  /** Unique name of the material, see {@link ConvertedFbx.names}. */
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

/** A converted FBX file. */
export interface ConvertedFbx {
  /** The file as a GLB without pictures. Materials have unique names. */
  glb: ArrayBuffer;
  /** Unique name and original name of each material. */
  names: [unique: string, name: string][];
  pictures: FbxPicture[];
}

/** Embedded pictures, by the URL that `createObjectURL` below returns to three's loader. */
const embeddedPictures = new Map<string, Blob>();

/** Provides the members of `window` that three's FBX loader uses; a worker has none. */
function provideWindow(): void {
  const scope = globalThis as { window?: unknown };
  scope.window ??= {
    innerWidth: 1,
    innerHeight: 1,
    URL: {
      createObjectURL(picture: Blob) {
        const url = `blob:${embeddedPictures.size}`;
        embeddedPictures.set(url, picture);
        return url;
      },
    },
  };
}

/** URLs of textures. The page loads the pictures, because a worker has no image elements. */
const urlOfTexture = new WeakMap<Texture, string>();
/** Replaces three's texture loader: remembers the URL, and loads nothing. */
class PictureLoader extends Loader<Texture> {
  override load(url: string): Texture {
    const texture = new Texture();
    urlOfTexture.set(texture, url);
    return texture;
  }
}

/** Returns an embedded picture; `undefined` for a damaged picture, and for a picture in a separate file. */
function pictureAt(url: string): Blob | undefined {
  const [, type, text] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  if (text === undefined) return embeddedPictures.get(url);
  try {
    return new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: type ?? "" });
  } catch {
    return undefined;
  }
}

/** Removes the textures from a material. Returns their embedded pictures. */
function extractPictures(material: Material): FbxPicture[] {
  const pictures: FbxPicture[] = [];
  const slots = material as unknown as Record<string, unknown>;
  for (const [slot, texture] of Object.entries(slots)) {
    if (!(texture instanceof Texture)) continue;
    slots[slot] = null;
    const picture = pictureAt(urlOfTexture.get(texture) ?? "");
    const { wrapS, wrapT, colorSpace } = texture;
    const [repeat, offset] = [texture.repeat.toArray(), texture.offset.toArray()];
    if (picture) pictures.push({ material: material.name, slot, picture, wrapS, wrapT, colorSpace, repeat, offset });
  }
  return pictures;
}

function materialsOf(object: Object3D): Set<Material> {
  const materials = new Set<Material>();
  object.traverse((node) => {
    const assigned = (node as Mesh).material as Material | Material[] | undefined;
    for (const material of assigned === undefined ? [] : [assigned].flat()) materials.add(material);
  });
  return materials;
}

/** Whether a track has a value for each key; three's loader also makes tracks of damaged or unsupported curves. */
const isWhole = ({ name, times, values }: KeyframeTrack): boolean => {
  const width = name.endsWith(".quaternion") ? 4 : /\.(position|scale)$/.test(name) ? 3 : 1;
  return times.length > 0 && values.length === times.length * width && values.every(Number.isFinite);
};

/** Names morph targets in tracks, as the exporter needs it: three's loader numbers them. */
function nameMorphTracks(object: Object3D, animations: readonly AnimationClip[]): void {
  for (const animation of animations)
    animation.tracks = animation.tracks.filter((track) => {
      const [, node, index] = /^(.*)\.morphTargetInfluences\[(\d+)\]$/.exec(track.name) ?? [];
      if (node === undefined) return true;
      const mesh = PropertyBinding.findNode(object, node) as Mesh | null;
      const names = Object.entries(mesh?.morphTargetDictionary ?? {});
      const name = names.find(([, target]) => target === Number(index))?.[0];
      if (name !== undefined) track.name = `${node}.morphTargetInfluences[${name}]`;
      return name !== undefined;
    });
}

/** Parses a file. Returns its scene in metres, and its animations. */
function parse(bytes: ArrayBuffer): { scene: Group; animations: AnimationClip[] } {
  const manager = new LoadingManager();
  manager.addHandler(/./, new PictureLoader(manager));
  const object = new FBXLoader(manager).parse(bytes, "");
  // three's loader returns a group of all nodes; if the only top node is a group itself, it returns this node, and the
  // group is its parent. The loader stores the file's unit in the group (`unitScaleFactor`, centimetres, default 1), but
  // does not apply it.
  const unit = Number((object.parent ?? object).userData["unitScaleFactor"]) || 1;
  // A new parent converts lengths to metres, because a top node may have a position, and its scale may be animated.
  const scene = new Group().add(object);
  scene.scale.setScalar(unit / 100);
  for (const animation of object.animations) animation.tracks = animation.tracks.filter(isWhole);
  const animations = object.animations.filter(({ tracks }) => tracks.length > 0);
  nameMorphTracks(object, animations);
  // A track of a node without a name would be applied to the new parent.
  for (const track of animations.flatMap(({ tracks }) => tracks))
    if (track.name.startsWith(".")) track.name = object.uuid + track.name;
  return { scene, animations };
}

/**
 * Converts an FBX file. Its animations become those of the GLB, its lengths are in metres, and its embedded pictures are
 * returned beside it.
 *
 * @throws An error whose message says what is wrong: the file is damaged, or too large when it is decompressed.
 * @example
 * ```js
 * import { convertFbx } from "kinestitch/fbx"; // in a worker
 *
 * const { glb } = await convertFbx(await (await fetch("hero.fbx")).arrayBuffer());
 * ```
 */
export async function convertFbx(bytes: ArrayBuffer): Promise<ConvertedFbx> {
  await checkFbx(bytes);
  provideWindow();
  const { scene, animations } = parse(bytes);
  // Unique names, by which the materials are found in the GLB again.
  const names: [string, string][] = [];
  const pictures: FbxPicture[] = [];
  for (const material of materialsOf(scene)) {
    const name = `${names.length} ${material.name}`;
    names.push([name, material.name]);
    material.name = name;
    pictures.push(...extractPictures(material));
  }
  const glb = await new GLTFExporter().parseAsync(scene, { binary: true, onlyVisible: false, animations });
  return { glb: glb as ArrayBuffer, names, pictures };
}
