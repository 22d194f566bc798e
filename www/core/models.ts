/** Files of other formats: characters, and animations that become clips. */
import { animations, packGlb } from "kinestitch/worker";
import type { Model } from "../viewer/model";
import { convertFbx, type ConvertedFbx } from "./fbx";

/** File extensions that the page opens. */
export const FILE_EXTENSIONS = ".bvh,.glb,.gltf,.vrm,.vrma,.fbx,.kinestitch";
/** Whether a file may contain a model with bones, by its name. */
export const isModel = ({ name }: File): boolean => /\.(glb|gltf|vrm|fbx)$/i.test(name);
/** Whether a file is an FBX file, by its name. */
export const isFbx = ({ name }: File): boolean => /\.fbx$/i.test(name);

const modelChunk = (): Promise<typeof import("../viewer/model")> => import("../viewer/model");
const modelsByFile = new WeakMap<File, Promise<Model>>();
const convertedByFile = new WeakMap<File, Promise<CheckedFbx>>();

/** An FBX file as a checked GLB, and what that lacks. */
type CheckedFbx = Omit<ConvertedFbx, "glb"> & { glb: File };

/** Replaces missing pictures: one pixel. */
const NO_PICTURE = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);

/** Last part of an address in a document. */
function fileNameOf(address: string): string {
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
export async function packModel(file: File, companions: readonly File[] = []): Promise<File> {
  const resolve = (address: string): Blob | Uint8Array | undefined =>
    companions.find(({ name }) => name === fileNameOf(address)) ??
    (/\.(png|jpe?g|webp|ktx2)$/i.test(fileNameOf(address)) ? NO_PICTURE : undefined);
  return new File([await packGlb(file, { resolve })], file.name.replace(/\.gltf$/i, ".glb"), {
    type: "model/gltf-binary",
  });
}

/** An FBX file, converted once. Rejects with a sentence. */
function convertOnce(file: File): Promise<CheckedFbx> {
  const started =
    convertedByFile.get(file) ??
    (async () => {
      const answer = await convertFbx(file);
      return { ...answer, glb: await packModel(new File([answer.glb], file.name)) };
    })();
  convertedByFile.set(file, started);
  return started;
}

async function readModelFile(file: File): Promise<Model> {
  if (isFbx(file)) {
    const [{ readModel }, fbx] = await Promise.all([modelChunk(), convertOnce(file)]);
    return readModel(fbx.glb, fbx);
  }
  const [{ readModel }, checked] = await Promise.all([modelChunk(), packModel(file)]);
  return readModel(checked);
}

/** The model in a file, read once. Rejects with a sentence. */
export function modelOf(file: File): Promise<Model> {
  const started = modelsByFile.get(file) ?? readModelFile(file);
  modelsByFile.set(file, started);
  return started;
}

/** Names of the animations in a file. */
export async function animationNames(file: File): Promise<string[]> {
  return animations(isFbx(file) ? (await convertOnce(file)).glb : file);
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

/** A file as the package reads it: an FBX file as a GLB. */
export async function toReadableFile(file: File, signal: AbortSignal): Promise<File> {
  return isFbx(file) ? (await unlessAborted(convertOnce(file), signal)).glb : file;
}
