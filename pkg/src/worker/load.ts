/** `load` of `kinestitch/worker`: the page reads the file, and the worker parses it. */
import { isMotionData } from "../core/data.js";
import { namingFile, throwIfAborted } from "../core/error.js";
import { motionName } from "../core/input.js";
import { ALL_ANIMATIONS, type Input, type LoadOptions, type WorkerClip } from "../core/types.js";
import type { AnimationInfo } from "../gltf/tasks.js";
import { prepareFile } from "./prepare-file.js";
import { connect } from "./tasks.js";

/**
 * Reads a motion into the worker.
 *
 * @param input BVH text, bytes, a File or Blob, a URL; in Node also a path; or a motion as plain values.
 * @param options Name, bone mapping, animation of a GLB file, `signal`, `onProgress`.
 * @returns A clip; each of its methods is computed in the worker and returns a promise.
 * @throws {KinestitchError} `bvh`, `glb`, `limit`, `skeleton`, `rig`, `fetch`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const walk = await load("walk.bvh");
 * console.log(walk.frames, await walk.info());
 * ```
 */
export const load: WorkerLoad = (async (input: Input, options?: LoadOptions) => {
  throwIfAborted(options?.signal);
  const { file, name: fileName, label, values, task } = await prepareFile("load", input, options);
  const { animation } = values as LoadOptions;
  /** Reads an animation; the first one if there is no name. */
  const read = (animation: string | undefined): Promise<WorkerClip> => {
    const name = isMotionData(file) ? motionName(file) : typeof animation === "string" ? animation : fileName;
    const { animation: _, ...others } = values as LoadOptions;
    const request = { name, ...others, ...(animation !== undefined && { animation }) };
    return connect().enqueue({ do: "task", name: "load", args: [file], options: request }, task) as Promise<WorkerClip>;
  };
  // The worker receives the contents of a URL, but not the URL itself.
  return namingFile(label, async () => {
    if (animation !== ALL_ANIMATIONS) return read(animation);
    const list = (await connect().enqueue(
      { do: "gltf", name: "listAnimations", args: [file], options: {} },
      task,
    )) as AnimationInfo[];
    const moving = list.filter(({ moves }) => moves);
    return Promise.all(moving.length > 0 ? moving.map(({ name }) => read(name)) : [read(undefined)]);
  });
}) as WorkerLoad;

/** Signature of `load` of this entry. */
export interface WorkerLoad {
  /** Reads all animations of a file, each as a clip with the name of its animation, on the same skeleton. */
  (input: Input, options: LoadOptions & { animation: typeof ALL_ANIMATIONS }): Promise<WorkerClip[]>;
  /** Reads a motion. */
  (input: Input, options?: LoadOptions): Promise<WorkerClip>;
}
