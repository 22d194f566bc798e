/** Parses the flags --output and --format. */
import { extname, join, parse, resolve } from "node:path";
import { oneOf } from "../core/options.js";
import { type ConvertCommand, formats, type Output } from "./commands.js";
import { flagOptions, UsageError } from "./flags.js";
import { isFolder } from "./output.js";

/** Values of the flags {@link OUTPUT}. */
interface OutputFlags {
  output?: string | undefined;
  format?: string | undefined;
}

/**
 * Parses the output of one result. If the format is not given, it follows from the extension.
 *
 * @throws {UsageError} if the path is missing or the format is unknown.
 */
export function parseOutput({ output: path, ...flags }: OutputFlags): Output {
  const { format } = flagOptions({ format: oneOf(formats) }, flags);
  if (path === undefined) throw new UsageError("name an output file: -o OUT.bvh, -o OUT.glb, or - for standard output");
  if (path === "-") return { path, format: format ?? "bvh" };
  const extension = extname(path).slice(1).toLowerCase();
  const selectedFormat = format ?? formats.find((name) => name === extension);
  if (!selectedFormat) throw new UsageError(`the output must end in .bvh, .glb, .vrma or .fbx, not "${path}"`);
  return { path, format: selectedFormat };
}

/** Parses the output folder of several results. */
export function parseOutputFolder({ output: path, format }: OutputFlags): Output {
  if (path === undefined || path === "-") throw new UsageError("name an output folder: -o FOLDER");
  return { path, format: flagOptions({ format: oneOf(formats) }, { format }).format ?? "bvh" };
}

/** Returns the path of a candidate in the output folder. `index`: number of the candidate, from 0. */
export const candidatePath = ({ path, format }: Output, index: number): string =>
  join(path, `candidate-${index + 1}.${format}`);

/**
 * Parses the outputs of `convert`, one per input file: one output file, or files of the same names in a folder. A path
 * is a folder if it ends in a slash or if it is an existing folder. `folder`: folder of relative paths.
 */
export function parseOutputs(
  files: string[],
  { output: path, format }: OutputFlags,
  folder: string,
): Pick<ConvertCommand, "files" | "outputFolder"> {
  const [first] = files;
  if (first === undefined) throw new UsageError("convert takes one file or more");
  const intoFolder = path !== undefined && (/[\\/]$/.test(path) || isFolder(resolve(folder, path)));
  if (!intoFolder && files.length === 1)
    return { files: [{ file: first, output: parseOutput({ output: path, format }) }] };
  if (!intoFolder) throw new UsageError(`${files.length} files need a folder: -o FOLDER/`);
  const selectedFormat = flagOptions({ format: oneOf(formats) }, { format }).format;
  if (!selectedFormat) throw new UsageError("choose the format of the files: --format bvh, glb, vrma or fbx");
  const names = files.map((file) => (file === "-" ? "stdin" : parse(file).name));
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined)
    throw new UsageError(`two of the files are named "${duplicate}": one result would overwrite the other`);
  const parsedFiles = files.map((file, index) => ({
    file,
    output: { path: join(path, `${names[index]}.${selectedFormat}`), format: selectedFormat },
  }));
  return { files: parsedFiles, outputFolder: path };
}
