/**
 * The player's lazy code: reads motions in a worker with the WebAssembly module, and draws them with three.js. Loaded
 * when the first player comes near the viewport.
 */
import { load } from "kinestitch/small";
import type { DisplayedMotion } from "../viewer/poses";

export { Viewer } from "../viewer/viewer";

/** Motions by the URLs of motion and character: a motion that a page displays twice is read once. */
const motionsByKey = new Map<string, Promise<DisplayedMotion>>();

async function readMotion(url: URL, character?: URL): Promise<DisplayedMotion> {
  if (character) return readMotionOnCharacter(url, character);
  const clip = await load(url);
  const [info, positions, curves] = await Promise.all([clip.info(), clip.positions(), clip.curves()]);
  clip.free();
  if (info.frames === 0) throw new Error("the file contains a skeleton but no frames");
  return { motion: { ...info, positions }, contact: curves.contact, segments: [], seams: [] };
}

/**
 * Reads a motion, and retargets it to a character. The code of the package is loaded on first need. It runs on the
 * page's thread, because the worker's small WebAssembly module cannot retarget.
 */
async function readMotionOnCharacter(url: URL, character: URL): Promise<DisplayedMotion> {
  const [{ load: read, packGlb }, { Puppet, readModel, restOfObject, toAnimationClip }, model] = await Promise.all([
    import("kinestitch"),
    import("../viewer/model"),
    fetchFile(character),
  ]);
  const fbx = /\.fbx$/i.test(model.name) ? await (await import("../core/fbx")).convertFbx(model) : undefined;
  const packed = await packGlb(fbx?.glb ?? model);
  const packedModel = new File([packed], model.name.replace(/\.(gltf|fbx)$/i, ".glb"));
  const [{ object, copy }, clip] = await Promise.all([readModel(packedModel, fbx), read(url)]);
  if (clip.frames === 0) throw new Error("the file contains a skeleton but no frames");
  const retargeted = await clip.retarget(await read(restOfObject(object)));
  const animation = await toAnimationClip(retargeted, object);
  return {
    motion: { ...retargeted.info(), positions: retargeted.positions() },
    contact: (await retargeted.curves()).contact,
    segments: [],
    seams: [],
    body: { puppet: () => new Puppet(copy(), animation) },
  };
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
