/**
 * The player's lazy code: reads motions in a worker with the WebAssembly module, and draws them with three.js. Loaded
 * when the first player comes near the viewport.
 */
import type { Clip, MotionData } from "kinestitch";
import { load } from "kinestitch/small";
import type { DisplayedMotion } from "../viewer/poses";

export { Viewer } from "../viewer/viewer";

/** Motions by the URLs of motion and character: a motion that a page displays twice is read once. */
const motionsByKey = new Map<string, Promise<DisplayedMotion>>();

/** A clip, or a motion as `load` reads it: values, bytes or the text of a BVH file. */
export type ShownClip = Clip | MotionData | Uint8Array | string;

const isClip = (shown: ShownClip): shown is Clip => typeof (shown as Partial<Clip> | null)?.curves === "function";

async function readMotion(url: URL, character?: URL): Promise<DisplayedMotion> {
  if (character) return onCharacter(async (read) => read(url), character);
  const clip = await load(url);
  try {
    return await display(clip);
  } finally {
    clip.free();
  }
}

async function display(clip: Clip): Promise<DisplayedMotion> {
  const [info, positions, curves] = await Promise.all([clip.info(), clip.positions(), clip.curves()]);
  if (info.frames === 0) throw new Error("the file contains a skeleton but no frames");
  return { motion: { ...info, positions }, contact: curves.contact, segments: [], seams: [] };
}

/** Shows a clip, which stays the caller's, or a motion, also on a character. */
export async function showClip(shown: ShownClip, character?: URL): Promise<DisplayedMotion> {
  if (isClip(shown)) return character ? onCharacter(async () => shown, character) : display(shown);
  if (character) return onCharacter(async (read) => read(shown), character);
  const clip = await load(shown);
  try {
    return await display(clip);
  } finally {
    clip.free();
  }
}

/**
 * Retargets a motion to a character. The code of the package is loaded on first need. It runs on the page's thread,
 * because the worker's small WebAssembly module cannot retarget.
 */
async function onCharacter(
  source: (read: typeof import("kinestitch").load) => Promise<Clip>,
  character: URL,
): Promise<DisplayedMotion> {
  const [{ load: read, packGlb }, { Puppet, readModel, restOfObject, toAnimationClip }, model] = await Promise.all([
    import("kinestitch"),
    import("../viewer/model"),
    fetchFile(character),
  ]);
  const fbx = /\.fbx$/i.test(model.name) ? await (await import("../core/fbx")).convertFbx(model) : undefined;
  const packed = await packGlb(fbx?.glb ?? model);
  const packedModel = new File([packed], model.name.replace(/\.(gltf|fbx)$/i, ".glb"));
  const [{ object, copy }, clip] = await Promise.all([readModel(packedModel, fbx), source(read)]);
  if (clip.frames === 0) throw new Error("the file contains a skeleton but no frames");
  const retargeted = await clip.retarget(restOfObject(object));
  const animation = await toAnimationClip(retargeted, object);
  const shown = await display(retargeted);
  retargeted.free();
  return { ...shown, body: { puppet: () => new Puppet(copy(), animation) } };
}

async function fetchFile(url: URL): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot fetch ${url.href}: ${response.status}`);
  return new File([await response.blob()], url.pathname.split("/").pop() ?? "");
}

/** Reads a motion, and retargets it if the URL of a character is given. Each pair of URLs is read once. */
export function loadMotion(url: URL, character?: URL): Promise<DisplayedMotion> {
  const key = `${url.href} ${character?.href}`;
  const known = motionsByKey.get(key);
  if (known) return known;
  const started = readMotion(url, character);
  motionsByKey.set(key, started);
  // After a failure, the next player with these URLs tries again.
  started.catch(() => motionsByKey.delete(key));
  return started;
}
