/** Functions about glTF files of `kinestitch/worker`: the thread takes the files apart, the page reads them and what they name. */
import { shown, wrongOption } from "../core/options.js";
import type { Clip, FileOptions, Input, WorkerClip } from "../core/types.js";
import type { AnimateOptions } from "../gltf/tasks.js";
import { parcel } from "./parcel.js";
import { connect } from "./tasks.js";

/** Names of the animations in a GLB or glTF file, as `load` takes them; none of a BVH file. */
export async function animations(input: Input, options?: FileOptions): Promise<string[]> {
  const { file, values, task } = await parcel("animations", input, options);
  return (await connect().turn({ do: "gltf", name: "animations", args: [file], options: values }, task)) as string[];
}

/** A GLB or glTF file as one GLB with all that it names inside, checked; see `packGlb` of `kinestitch`. */
export async function packGlb(input: Input, options?: FileOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { file, values, task } = await parcel("packGlb", input, options);
  return (await connect().turn(
    { do: "gltf", name: "packGlb", args: [file], options: values },
    task,
  )) as Uint8Array<ArrayBuffer>;
}

/** A character of a GLB or glTF file (VRM too) with a clip's motion; see `animateGlb` of `kinestitch`. */
export async function animateGlb(
  character: Input,
  clip: Clip | WorkerClip,
  options?: AnimateOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof clip !== "object" || clip === null || !("retarget" in clip))
    throw wrongOption("clip", `animateGlb takes a character and a clip, not ${shown(clip)}`);
  const { file, values, task } = await parcel("animateGlb", character, options);
  return (await connect().turn(
    { do: "gltf", name: "animateGlb", args: [file, clip], options: values },
    task,
  )) as Uint8Array<ArrayBuffer>;
}
