/**
 * Writing results: the one place where the command line writes. A file is written beside the old one, flushed, and renamed, so
 * that at any moment the old file or the new one is whole.
 */
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { printable } from "../core/quote.js";
import { FileError } from "./file-error.js";
import { Interrupted, Interrupts } from "./interrupts.js";
import { sweep, temporaryIn } from "./temporary.js";

/** Standard input and output among names of files. */
export const STANDARD = "-";

/** Bytes written at once; between two pieces signals are heard. */
const PIECE = 1 << 20;

/** Symbolic links followed, as Linux does. */
const MOST_LINKS = 40;

/** Files that this run has read or written, by device and inode: none of them is overwritten. */
const read = new Set<string>();
const written = new Set<string>();

/** Begins another command in this process: files of the last one may be written. */
export function begin(): void {
  read.clear();
  written.clear();
}

/** Remembers a file that is read: nothing is written over it. */
export function remember(path: string): void {
  const key = identity(path, 0);
  if (key !== undefined) read.add(key);
}

/**
 * Checks before any work that all outputs can be written and none of them is an input, by whatever name: a link leads to the same
 * file as the name it was made of.
 */
export function checkOutputs(paths: readonly string[], inputs: readonly string[]): void {
  inputs.forEach(remember);
  const taken = new Map<string, string>();
  for (const path of paths) {
    if (path !== STANDARD) {
      const folder = dirname(followed(path));
      if (!existsSync(folder)) throw new FileError(`cannot write ${path}: the folder ${folder} does not exist`);
      if (!isFolder(folder)) throw new FileError(`cannot write ${path}: ${folder} is no folder`);
      if (isFolder(path)) throw new FileError(`cannot write ${path}: it is a folder`);
    }
    const key = identity(path, 1);
    if (key === undefined) continue;
    refuseInput(path, key);
    const other = taken.get(key);
    if (other !== undefined)
      throw new FileError(
        `cannot write ${path}: it is the same file as ${other}, and one result would overwrite the other`,
      );
    taken.set(key, path);
  }
}

/** Writes a file, over one that is there, or to standard output; all of it, or it throws. */
export async function write(path: string, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  try {
    if (path === STANDARD) return await writeStandard(bytes);
    const target = followed(path);
    const old = statSync(target, { throwIfNoEntry: false, bigint: true });
    // Devices and pipes have no old content, and nothing may take their place.
    if ((old && !old.isFile()) || /^\/(dev|proc)\//.test(resolve(path))) return writeThrough(path, bytes);
    if (old) {
      const key = keyOf(old);
      refuseInput(path, key);
      if (written.has(key)) throw new FileError(`cannot write ${path}: another result of this run was written there`);
      accessSync(target, constants.W_OK);
    }
    await replace(target, bytes, old);
    written.add(keyOf(statSync(target, { bigint: true })));
  } catch (error) {
    throw error instanceof FileError
      ? error
      : new FileError(`cannot write ${path === STANDARD ? "to standard output" : path}: ${reason(error)}`);
  }
}

/** Where printed lines go while a command's output is captured. */
let capture: string[] | undefined;

/** Runs a command; the lines that it prints, instead of printing them. One at a time. */
export async function captured(command: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  capture = lines;
  try {
    await command();
  } finally {
    capture = undefined;
  }
  return lines.join("\n");
}

/** Prints a line of text for people or programs on standard output. */
export async function print(text: string): Promise<void> {
  if (capture) {
    capture.push(printable(text));
    return;
  }
  try {
    await writeStandard(Buffer.from(`${printable(text)}\n`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") throw new ReaderLeft();
    throw new FileError(`cannot write to standard output: ${reason(error)}`);
  }
}

/** Whoever read a report has seen enough: the run ends without a word, and not with success. */
export class ReaderLeft extends Error {}

/** Writes beside the target, then renames. */
async function replace(target: string, bytes: Uint8Array, old: BigIntStats | undefined): Promise<void> {
  const folder = dirname(target);
  for (const name of sweep(folder))
    console.error(`kinestitch: removed ${name}, which a run that was killed had left in ${printable(folder)}`);
  const temporary = temporaryIn(folder);
  const interrupts = new Interrupts();
  try {
    const file = openSync(temporary, "wx", 0o666);
    try {
      try {
        if (old) keepOwner(file, old);
        await writePieces(file, bytes, () => interrupts.heard());
        flush(file);
      } finally {
        closeSync(file);
      }
      await interrupts.heard();
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    flushFolder(folder);
  } finally {
    await interrupts.end();
  }
}

/** Writes all bytes: a system that takes a part is asked again, and says then why it took no more. */
async function writePieces(file: number, bytes: Uint8Array, between: () => Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    await between();
    const count = writeSync(file, bytes, at, Math.min(PIECE, bytes.length - at));
    if (count <= 0) throw new Error(`${at} of ${bytes.length} bytes were taken`);
    at += count;
  }
}

/** Access rights and owner of the file that is replaced. */
function keepOwner(file: number, { mode, uid, gid }: BigIntStats): void {
  try {
    const own = fstatSync(file, { bigint: true });
    if (own.uid !== uid || own.gid !== gid) fchownSync(file, Number(uid), Number(gid));
  } catch {
    // Only root gives files away.
  }
  fchmodSync(file, Number(mode & 0o777n));
}

function flush(file: number): void {
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems of networks cannot.
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Makes the rename last; the result is in place either way. */
function flushFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows opens no folders.
  }
}

/** Writes into what is there: a device or a pipe. */
function writeThrough(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "w");
  try {
    writeAll(file, bytes);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeSync(file, bytes, at);
    if (count <= 0) throw new Error(`${at} of ${bytes.length} bytes were taken`);
    at += count;
  }
}

/** Node writes to a file or device behind standard output once, and does not look how much was taken; to pipes it writes all. */
async function writeStandard(bytes: Uint8Array): Promise<void> {
  const found = fstatSync(1);
  if (found.isFile() || (found.isCharacterDevice() && !process.stdout.isTTY)) return writeAll(1, bytes);
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
}

/** The path that symbolic links lead to, whether or not there is a file. */
function followed(path: string): string {
  let place = resolve(path);
  for (let links = 0; lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MOST_LINKS) throw new FileError(`cannot write ${path}: its symbolic links go round in a circle`);
    place = resolve(dirname(place), readlinkSync(place));
  }
  return place;
}

/** Whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Device and inode of a file; of what stands for standard input (0) or output (1), where it is redirected to one. */
function identity(path: string, standard: 0 | 1): string | undefined {
  try {
    const found = path === STANDARD ? fstatSync(standard, { bigint: true }) : statSync(path, { bigint: true });
    return found.isFile() ? keyOf(found) : undefined;
  } catch {
    // There is none; reading it says so.
    return undefined;
  }
}

function refuseInput(path: string, key: string): void {
  if (read.has(key))
    throw new FileError(
      `cannot write ${path === STANDARD ? "to standard output" : path}: it is an input; choose another name`,
    );
}

/** `errno` codes people meet, in words. */
function reason(error: unknown): string {
  if (error instanceof Interrupted) return error.message;
  const { code, message, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
      return "the disk is full";
    case "EDQUOT":
      return "your share of the disk is full";
    case "EFBIG":
      return "files so large are not allowed here (see ulimit -f)";
    case "EROFS":
      return "the disk is read-only";
    case "EPIPE":
      return "its reader closed it before all was written";
    case "EACCES":
    case "EPERM":
      return path !== undefined && NEW.test(basename(path))
        ? `no file can be made in the folder ${dirname(path)}: permission denied`
        : "permission denied";
    case "ENAMETOOLONG":
      return "its name is too long";
    default:
      return message;
  }
}

const NEW = /^\.kinestitch-/;
