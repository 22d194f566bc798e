/** Reads files with models (GLB, glTF, VRM, FBX): characters, and animations that become clips. */
import { type AnimationInfo, animations, listAnimations, packGlb } from "kinestitch/worker";
import type { Model } from "../viewer/model";
import type { ConvertedFbx } from "kinestitch/fbx";
import { convertFbx } from "./fbx";
import { NO_PICTURE } from "./no-picture";

/** Extensions of all files that the page opens, for a file dialog. */
export const FILE_EXTENSIONS = ".bvh,.glb,.gltf,.vrm,.vrma,.fbx,.kinestitch";
/** Whether a file may contain a model, judging by its extension. */
export const isModel = ({ name }: File): boolean => /\.(glb|gltf|vrm|fbx)$/i.test(name);
/** Whether a file has the extension of FBX. */
export const isFbx = ({ name }: File): boolean => /\.fbx$/i.test(name);

/** Loads the module that reads models, which is fetched only when it is first needed. */
export const modelChunk = (): Promise<typeof import("../viewer/model")> => import("../viewer/model");
const modelsByFile = new WeakMap<File, Promise<Model>>();
const convertedByFile = new WeakMap<File, Promise<CheckedFbx>>();

/** An FBX file as a checked GLB, with the names and pictures that the GLB lacks. */
type CheckedFbx = Omit<ConvertedFbx, "glb"> & { glb: File };

/** The PNG file of {@link NO_PICTURE}, which replaces missing pictures. */
const NO_PICTURE_BYTES = Uint8Array.from(atob(NO_PICTURE.replace(/^.*,/, "")), (letter) => letter.charCodeAt(0));

/** Returns the file name at the end of a URL in a glTF document. */
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

/**
 * Packs a model into a GLB, and checks it; runs in the package's worker. Files that the model refers to are taken only
 * from `companions`, the files that were opened together with it. Pictures that are not among them are replaced.
 */
export async function packModel(file: File, companions: readonly File[] = []): Promise<File> {
  const resolve = (address: string): Blob | Uint8Array | undefined =>
    companions.find(({ name }) => name === fileNameOf(address)) ??
    (/\.(png|jpe?g|webp|ktx2)$/i.test(fileNameOf(address)) ? NO_PICTURE_BYTES : undefined);
  return new File([await packGlb(file, { resolve })], file.name.replace(/\.gltf$/i, ".glb"), {
    type: "model/gltf-binary",
  });
}

/**
 * Converts an FBX file; a second call returns the first result. If the file cannot be converted, rejects with an error
 * whose message is shown to the user.
 */
function convertOnce(file: File): Promise<CheckedFbx> {
  const started =
    convertedByFile.get(file) ??
    (async () => {
      const converted = await convertFbx(file);
      return { ...converted, glb: await packModel(new File([converted.glb], file.name)) };
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

/**
 * Reads the model in a file; a second call returns the first result. If the model cannot be read, rejects with an error
 * whose message is shown to the user.
 */
export function modelOf(file: File): Promise<Model> {
  const started = modelsByFile.get(file) ?? readModelFile(file);
  modelsByFile.set(file, started);
  return started;
}

/** Forgets the results of a file, so that it is read again: a failure may have been temporary, such as a full memory. */
export function forgetModel(file: File): void {
  modelsByFile.delete(file);
  convertedByFile.delete(file);
}

/** Reads the names of the animations in a file. */
export async function animationNames(file: File): Promise<string[]> {
  return animations(isFbx(file) ? (await convertOnce(file)).glb : file);
}

/** Reads the names and the lengths of the animations in a file. */
export async function listModelAnimations(file: File): Promise<AnimationInfo[]> {
  return listAnimations(isFbx(file) ? (await convertOnce(file)).glb : file);
}

/** Waits for work. Rejects as soon as the signal is aborted; the work continues, because others may wait for it too. */
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

/** Returns the file in a format that the package reads: an FBX file is converted to a GLB. */
export async function toReadableFile(file: File, signal: AbortSignal): Promise<File> {
  return isFbx(file) ? (await unlessAborted(convertOnce(file), signal)).glb : file;
}
