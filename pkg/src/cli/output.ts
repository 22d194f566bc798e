/**
 * Writes results; no other code of the command line writes files. A file is written under a temporary name, flushed,
 * and renamed, so that at any time either the old or the new file is complete.
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

/** Name of standard input and output in lists of files. */
export const STANDARD = "-";

/** Number of bytes written at once; signals are handled between pieces. */
const PIECE = 1 << 20;

/** Largest number of symbolic links to follow, as in Linux. */
const MOST_LINKS = 40;

/** Device and inode of the files read or written by this run; none of them is overwritten. */
const read = new Set<string>();
const written = new Set<string>();

/** Starts another command in this process: files of the last one may be overwritten. */
export function begin(): void {
  read.clear();
  written.clear();
}

/** Records a file that is read, so that it is not overwritten. */
export function remember(path: string): void {
  const key = identity(path, 0);
  if (key !== undefined) read.add(key);
}

/**
 * Checks before any work that all outputs can be written and that none of them is an input under any name; links are
 * followed.
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

/** Writes a file, or to standard output, completely or throws; overwrites an existing file. */
export async function write(path: string, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  try {
    if (path === STANDARD) return await writeStandard(bytes);
    const target = followed(path);
    const old = statSync(target, { throwIfNoEntry: false, bigint: true });
    // Devices and pipes have no old content, and must not be replaced.
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

/** Printed lines while a command's output is captured. */
let capture: string[] | undefined;

/** Runs a command and returns its printed lines instead of printing them. One at a time. */
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

/** Prints a line on standard output. */
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

/** The reader of standard output has closed it: the run ends silently, with an exit code of failure. */
export class ReaderLeft extends Error {}

/** Writes under a temporary name, then renames. */
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

/** Writes all bytes: a partial write is repeated, which then reports why no more was accepted. */
async function writePieces(file: number, bytes: Uint8Array, between: () => Promise<void>): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    await between();
    const count = writeSync(file, bytes, at, Math.min(PIECE, bytes.length - at));
    if (count <= 0) throw new Error(`${at} of ${bytes.length} bytes were taken`);
    at += count;
  }
}

/** Keeps access rights and owner of the replaced file. */
function keepOwner(file: number, { mode, uid, gid }: BigIntStats): void {
  try {
    const own = fstatSync(file, { bigint: true });
    if (own.uid !== uid || own.gid !== gid) fchownSync(file, Number(uid), Number(gid));
  } catch {
    // Only root may change owners.
  }
  fchmodSync(file, Number(mode & 0o777n));
}

function flush(file: number): void {
  try {
    fsyncSync(file);
  } catch (error) {
    // Some network file systems do not support it.
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Makes the rename durable; the result is in place in any case. */
function flushFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows cannot open folders.
  }
}

/** Writes to an existing device or pipe. */
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

/**
 * For a file or device as standard output, Node writes once and ignores how much was accepted; for pipes it writes
 * all.
 */
async function writeStandard(bytes: Uint8Array): Promise<void> {
  const found = fstatSync(1);
  if (found.isFile() || (found.isCharacterDevice() && !process.stdout.isTTY)) return writeAll(1, bytes);
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
}

/** The target of symbolic links, whether or not the file exists. */
function followed(path: string): string {
  let place = resolve(path);
  for (let links = 0; lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MOST_LINKS) throw new FileError(`cannot write ${path}: its symbolic links form a circle`);
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

/** Device and inode of a file; for `-` those of the file that standard input (0) or output (1) is redirected to. */
function identity(path: string, standard: 0 | 1): string | undefined {
  try {
    const found = path === STANDARD ? fstatSync(standard, { bigint: true }) : statSync(path, { bigint: true });
    return found.isFile() ? keyOf(found) : undefined;
  } catch {
    // It does not exist; reading it will report that.
    return undefined;
  }
}

function refuseInput(path: string, key: string): void {
  if (read.has(key))
    throw new FileError(
      `cannot write ${path === STANDARD ? "to standard output" : path}: it is an input; choose another name`,
    );
}

/** Common `errno` codes in words. */
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
