/** Prepares files for the worker's thread: the page reads them, and the thread parses them. */
import { isMotionData } from "../core/data.js";
import { besideReader, files } from "../core/files.js";
import { readInputFile } from "../core/input.js";
import { checkOptions, omitTaskOptions, formatValue, pickTaskOptions, wrongOption } from "../core/options.js";
import type { FileOptions, Input } from "../core/types.js";
import { createFileReader } from "../gltf/outside.js";
import type { CallTask } from "./link.js";

/**
 * A file that `postMessage` can clone, the plain options, and the callbacks, including the reader of files that the
 * file refers to.
 */
export async function parcel(
  name: string,
  input: unknown,
  given: unknown,
): Promise<{ file: unknown; name: string; values: object; task: CallTask }> {
  const options = checkOptions<FileOptions>(name, undefined, given);
  const { resolve, ...values } = omitTaskOptions(options) as FileOptions;
  if (resolve !== undefined && typeof resolve !== "function")
    throw wrongOption("resolve", `resolve must be a function, not ${formatValue(resolve)}`);
  const task = pickTaskOptions(options);
  if (isMotionData(input)) return { file: input, name: "", values, task };
  const source = await readInputFile(input as Exclude<Input, object> | Blob, task, files().read);
  const parts = createFileReader(source.location, { ...task, ...(resolve && { resolve }) }, besideReader());
  const file = source.file instanceof Uint8Array ? new Blob([source.file as Uint8Array<ArrayBuffer>]) : source.file;
  return { file, name: source.name, values, task: { ...task, parts } };
}
