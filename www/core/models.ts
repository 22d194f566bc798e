/** Files of other formats: characters, and animations that become clips. */
import { animations, packGlb } from "kinestitch/worker";
import type { MotionData } from "kinestitch/worker";
import type { Model } from "../viewer/model";

/** File extensions that the page opens. */
export const KINDS = ".bvh,.glb,.gltf,.vrm,.fbx,.kinestitch";
export const isModel = ({ name }: File): boolean => /\.(glb|gltf|vrm|fbx)$/i.test(name);
export const isFbx = ({ name }: File): boolean => /\.fbx$/i.test(name);

const chunk = (): Promise<typeof import("../viewer/model")> => import("../viewer/model");
const read = new WeakMap<File, Promise<Model>>();

/** Replaces missing pictures: one pixel. */
const NO_PICTURE = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);

/** Last part of an address in a document. */
function nameOf(address: string): string {
  const path =
    address
      .replace(/[?#].*$/s, "")
      .split(/[\\/]/)
      .pop() ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A file as a checked GLB with everything it refers to: only files given together with it. Computed by the worker. */
export async function packedModel(file: File, beside: readonly File[] = []): Promise<File> {
  const resolve = (address: string): Blob | Uint8Array | undefined =>
    beside.find(({ name }) => name === nameOf(address)) ??
    (/\.(png|jpe?g|webp|ktx2)$/i.test(nameOf(address)) ? NO_PICTURE : undefined);
  return new File([await packGlb(file, { resolve })], file.name.replace(/\.gltf$/i, ".glb"), {
    type: "model/gltf-binary",
  });
}

/** The model in a file, read once. Rejects with a sentence. */
export function modelOf(file: File): Promise<Model> {
  const started =
    read.get(file) ??
    (async () => {
      const [{ readModel }, checked] = await Promise.all([chunk(), isFbx(file) ? file : packedModel(file)]);
      return readModel(checked);
    })();
  read.set(file, started);
  return started;
}

/** Names of the animations in a file. */
export async function animationNames(file: File): Promise<string[]> {
  return isFbx(file) ? (await modelOf(file)).animations.map(({ name }) => name) : animations(file);
}

/** The result of work that others may wait for too; rejects as soon as the signal is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(signal.reason)));
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** An animation of an FBX file as plain values. */
export async function fbxMotion(file: File, animation: string, signal: AbortSignal): Promise<MotionData> {
  const reading = Promise.all([chunk(), modelOf(file)]);
  const [{ fromAnimationClip }, { object, animations }] = await unlessAborted(reading, signal);
  const found = animations.find(({ name }) => name === animation);
  if (!found) throw new Error(`the file has no animation "${animation}"`);
  return fromAnimationClip(found, object, { load: async (data: MotionData) => data });
}
