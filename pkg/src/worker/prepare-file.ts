/** Prepares files for the worker: the page reads them, and the worker parses them. */
import { isMotionData } from "../core/data.js";
import { besideReader, files } from "../core/files.js";
import { readInputFile } from "../core/input.js";
import { checkOptions, omitTaskOptions, formatValue, pickTaskOptions, wrongOption } from "../core/options.js";
import type { FileOptions, Input } from "../core/types.js";
import { createFileReader } from "../gltf/outside.js";
import type { CallTask } from "./link.js";

/**
 * Reads an input. Returns a file that `postMessage` can clone, its name for messages, the options that it can clone, and the callbacks,
 * including a reader of the files that the file refers to. `functionName`: the called function, for messages.
 */
export async function prepareFile(
  functionName: string,
  input: unknown,
  options: unknown,
): Promise<{ file: unknown; name: string; label?: string; values: object; task: CallTask }> {
  const fileOptions = checkOptions<FileOptions>(functionName, undefined, options);
  const { resolve, ...values } = omitTaskOptions(fileOptions) as FileOptions;
  if (resolve !== undefined && typeof resolve !== "function")
    throw wrongOption("resolve", `resolve must be a function, not ${formatValue(resolve)}`);
  const task = pickTaskOptions(fileOptions);
  if (isMotionData(input)) return { file: input, name: "", values, task };
  const source = await readInputFile(input as Exclude<Input, object> | Blob, task, files().read);
  const readFile = createFileReader(source.location, { ...task, ...(resolve && { resolve }) }, besideReader());
  const file = source.file instanceof Uint8Array ? new Blob([source.file as Uint8Array<ArrayBuffer>]) : source.file;
  const { name, label } = source;
  return { file, name, ...(label !== undefined && { label }), values, task: { ...task, readFile } };
}
