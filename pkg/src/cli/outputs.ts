/** Output files and folders of results. */
import { extname, join, parse } from "node:path";
import { oneOf } from "../core/options.js";
import { formats, type Output } from "./commands.js";
import { flagOptions, UsageError } from "./flags.js";
import { isFolder } from "./output.js";

/** Flags about the output. */
interface OutputFlags {
  output?: string | undefined;
  format?: string | undefined;
}

/**
 * FBX is refused by name: its format is not published, and no maintained library for JavaScript or Rust writes it.
 */
const NO_FBX =
  "FBX cannot be written: its format is not published, and no maintained open library writes it. Write OUT.glb (Blender, Unity, " +
  "Unreal, Godot, three.js) or OUT.bvh (Blender, Maya, MotionBuilder); Blender exports either as FBX";

/**
 * Values of {@link OUTPUT} as a path with its format, which follows from the extension if it is not given.
 *
 * @throws {UsageError} for a missing path and an unknown format.
 */
export function output({ output: path, ...words }: OutputFlags): Output {
  refuseFbx(path, words.format);
  const { format } = flagOptions({ format: oneOf(formats) }, words);
  if (path === undefined) throw new UsageError("name an output file: -o OUT.bvh, -o OUT.glb, or - for standard output");
  if (path === "-") return { path, format: format ?? "bvh" };
  const ending = extname(path).slice(1).toLowerCase();
  const known = format ?? formats.find((format) => format === ending);
  if (!known) throw new UsageError(`the output must end in .bvh, .glb or .vrma, not "${path}"`);
  return { path, format: known };
}

/** @throws UsageError where the format, or without one the ending, is FBX. */
function refuseFbx(path = "", format = extname(path).slice(1)): void {
  if (format.toLowerCase() === "fbx") throw new UsageError(NO_FBX);
}

/** An output folder for several results. */
export function folderOutput({ output: path, format }: OutputFlags): Output {
  refuseFbx(path, format);
  if (path === undefined || path === "-") throw new UsageError("name an output folder: -o FOLDER");
  return { path, format: flagOptions({ format: oneOf(formats) }, { format }).format ?? "bvh" };
}

/** An output for each file: a file for a single one, files in a folder for several. */
export function outputs(files: string[], { output: path, format }: OutputFlags): { file: string; output: Output }[] {
  const [first] = files;
  if (first === undefined) throw new UsageError("convert takes one file or more");
  refuseFbx(path, format);
  const intoFolder = path !== undefined && (/[\\/]$/.test(path) || isFolder(path));
  if (!intoFolder && files.length === 1) return [{ file: first, output: output({ output: path, format }) }];
  if (!intoFolder) throw new UsageError(`${files.length} files need a folder: -o FOLDER/`);
  const ending = flagOptions({ format: oneOf(formats) }, { format }).format;
  if (!ending) throw new UsageError("choose the format of the files: --format bvh, glb or vrma");
  const names = files.map((file) => (file === "-" ? "stdin" : parse(file).name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UsageError(`two of the files are called "${twice}": one result would overwrite the other`);
  return files.map((file, index) => ({
    file,
    output: { path: join(path, `${names[index]}.${ending}`), format: ending },
  }));
}
