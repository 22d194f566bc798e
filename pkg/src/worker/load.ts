/** `load` of `kinestitch/worker`: the page reads the file, and the worker parses it. */
import { isMotionData } from "../core/data.js";
import { namingFile, throwIfAborted } from "../core/error.js";
import { motionName } from "../core/input.js";
import { ALL_ANIMATIONS, type Clip, type Input, type LoadOptions } from "../core/types.js";
import type { AnimationInfo } from "../gltf/tasks.js";
import type { Load } from "../tasks/load.js";
import { prepareFile } from "./prepare-file.js";
import { connect } from "./tasks.js";

/**
 * Reads a motion into the worker.
 *
 * @param input BVH text, bytes, a File or Blob, a URL; in Node also a path; or a motion as plain values.
 * @param options Name, bone mapping, animation of a GLB file, `signal`, `onProgress`.
 * @returns A clip, whose methods are computed in the worker.
 * @throws {KinestitchError} `bvh`, `glb`, `limit`, `skeleton`, `rig`, `fetch`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const walk = await load("walk.bvh");
 * console.log(walk.frames, walk.info());
 * ```
 */
export const load: Load = (async (input: Input, options?: LoadOptions) => {
  throwIfAborted(options?.signal);
  const { file, name: fileName, label, values, task } = await prepareFile("load", input, options);
  const { animation } = values as LoadOptions;
  /** Reads an animation; the first one if there is no name. */
  const read = (animation: string | undefined): Promise<Clip> => {
    const name = isMotionData(file) ? motionName(file) : typeof animation === "string" ? animation : fileName;
    const { animation: _, ...others } = values as LoadOptions;
    const request = { name, ...others, ...(animation !== undefined && { animation }) };
    return connect().enqueue({ do: "task", name: "load", args: [file], options: request }, task) as Promise<Clip>;
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
}) as Load;
