/**
 * Writes results; no other module of the command line writes files. A file is written under a temporary name, flushed,
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
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { makePrintable } from "../core/quote.js";
import { FileError } from "./file-error.js";
import { Interrupted, Interrupts } from "./interrupts.js";
import { removeStaleFiles, temporaryPath } from "./temporary.js";

/** Name of standard input and output in lists of files. */
export const STANDARD = "-";

/** Number of bytes written at once; signals are handled between two writes. */
const CHUNK_BYTES = 1 << 20;

/** Largest number of symbolic links to follow, as in Linux. */
const MAX_LINKS = 40;

/** Device and inode of the files that this command has read and written; none of them is overwritten. */
const inputFiles = new Set<string>();
const outputFiles = new Set<string>();

/** Prepares this process for another command, which may overwrite the files of the previous one. */
export function forgetFiles(): void {
  inputFiles.clear();
  outputFiles.clear();
}

/** Records an input file, so that it is not overwritten. */
export function recordInput(path: string): void {
  const key = fileIdentity(path, 0);
  if (key !== undefined) inputFiles.add(key);
}

/**
 * Checks that all outputs can be written, that they differ, and that none of them is an input; symbolic links are
 * followed.
 */
export function checkOutputs(paths: readonly string[], inputs: readonly string[]): void {
  inputs.forEach(recordInput);
  const pathsByKey = new Map<string, string>();
  for (const path of paths) {
    if (path !== STANDARD) {
      const folder = dirname(resolveLinks(path));
      if (!existsSync(folder)) throw new FileError(`cannot write ${path}: the folder ${folder} does not exist`);
      if (!isFolder(folder)) throw new FileError(`cannot write ${path}: ${folder} is not a folder`);
      if (isFolder(path)) throw new FileError(`cannot write ${path}: it is a folder`);
    }
    const key = fileIdentity(path, 1) ?? newFilePath(path);
    if (key === undefined) continue;
    refuseInput(path, key);
    const otherPath = pathsByKey.get(key);
    if (otherPath !== undefined)
      throw new FileError(
        `cannot write ${path}: it is the same file as ${otherPath}, and one result would overwrite the other`,
      );
    pathsByKey.set(key, path);
  }
}

/** Checks outputs in a folder, like {@link checkOutputs}; the command creates the folder if it does not exist. */
export function checkFolderOutputs(folder: string, paths: readonly string[], inputs: readonly string[]): void {
  // Without the slash at its end, with which the path of a file would not exist.
  const exists = existsSync(resolve(folder));
  if (exists && !isFolder(folder)) throw new FileError(`cannot write into ${folder}: it is not a folder`);
  // In a new folder, there is no file to overwrite.
  checkOutputs(exists ? paths : [], inputs);
}

/** Writes a complete file, or to standard output; overwrites an existing file. Throws a {@link FileError} on failure. */
export async function write(path: string, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  try {
    if (path === STANDARD) return await writeStandard(bytes);
    const target = resolveLinks(path);
    const oldStats = statSync(target, { throwIfNoEntry: false, bigint: true });
    // Devices and pipes must not be replaced by a file.
    if ((oldStats && !oldStats.isFile()) || /^\/(dev|proc)\//.test(resolve(path))) return writeThrough(path, bytes);
    if (oldStats) {
      const key = fileKey(oldStats);
      refuseInput(path, key);
      if (outputFiles.has(key))
        throw new FileError(`cannot write ${path}: another result of this run was written there`);
      accessSync(target, constants.W_OK);
    }
    await replace(target, bytes, oldStats);
    outputFiles.add(fileKey(statSync(target, { bigint: true })));
  } catch (error) {
    throw error instanceof FileError
      ? error
      : new FileError(`cannot write ${path === STANDARD ? "to standard output" : path}: ${reason(error)}`);
  }
}

/** Creates a folder and the folders that contain it, if they do not exist. Throws a {@link FileError} on failure. */
export function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new FileError(`cannot create the folder ${path}: ${reason(error)}`);
  }
}

/** Lines printed by the command whose output is captured. */
let capturedLines: string[] | undefined;

/** Runs a command and returns its lines instead of printing them. Only one command may run at a time. */
export async function captureOutput(command: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  capturedLines = lines;
  try {
    await command();
  } finally {
    capturedLines = undefined;
  }
  return lines.join("\n");
}

/** Prints a line on standard output. */
export async function print(text: string): Promise<void> {
  if (capturedLines) {
    capturedLines.push(makePrintable(text));
    return;
  }
  try {
    await writeStandard(Buffer.from(`${makePrintable(text)}\n`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") throw new OutputClosed();
    throw new FileError(`cannot write to standard output: ${reason(error)}`);
  }
}

/** Error if the reader of standard output has closed it: the program ends silently with exit code 1. */
export class OutputClosed extends Error {}

/** Writes a file under a temporary name, then renames it. */
async function replace(target: string, bytes: Uint8Array, oldStats: BigIntStats | undefined): Promise<void> {
  const folder = dirname(target);
  for (const name of removeStaleFiles(folder))
    console.error(`kinestitch: removed ${name}, which a killed process had left in ${makePrintable(folder)}`);
  const temporary = temporaryPath(folder);
  const interrupts = new Interrupts();
  try {
    const file = openSync(temporary, "wx", 0o666);
    try {
      try {
        if (oldStats) copyOwner(file, oldStats);
        await writeChunks(file, bytes, () => interrupts.throwIfInterrupted());
        flush(file);
      } finally {
        closeSync(file);
      }
      await interrupts.throwIfInterrupted();
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    flushFolder(folder);
  } finally {
    await interrupts.release();
  }
}

/** Writes all bytes. After a partial write it continues; the next write then reports why no more was accepted. */
async function writeChunks(file: number, bytes: Uint8Array, beforeChunk: () => Promise<void>): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    await beforeChunk();
    const count = writeSync(file, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset));
    if (count <= 0) throw new Error(`${offset} of ${bytes.length} bytes were written`);
    offset += count;
  }
}

/** Copies access rights and owner of the replaced file. */
function copyOwner(file: number, { mode, uid, gid }: BigIntStats): void {
  try {
    const current = fstatSync(file, { bigint: true });
    if (current.uid !== uid || current.gid !== gid) fchownSync(file, Number(uid), Number(gid));
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

/** Flushes the folder, so that the rename survives a power failure. */
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
  for (let offset = 0; offset < bytes.length; ) {
    const count = writeSync(file, bytes, offset);
    if (count <= 0) throw new Error(`${offset} of ${bytes.length} bytes were written`);
    offset += count;
  }
}

/**
 * Writes to standard output. Node writes all bytes to a pipe, but to a file or device it writes only once and ignores
 * how many bytes were accepted.
 */
async function writeStandard(bytes: Uint8Array): Promise<void> {
  const stats = fstatSync(1);
  if (stats.isFile() || (stats.isCharacterDevice() && !process.stdout.isTTY)) return writeAll(1, bytes);
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
  );
}

/** Returns the target of symbolic links, also if no file exists there. */
export function resolveLinks(path: string): string {
  let target = resolve(path);
  for (let links = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MAX_LINKS) throw new FileError(`cannot write ${path}: its symbolic links form a circle`);
    target = resolve(dirname(target), readlinkSync(target));
  }
  return target;
}

/** Whether a path is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const fileKey = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Returns device and inode of a file; for `-`, of the file to which standard input (0) or output (1) is redirected. */
function fileIdentity(path: string, standardStream: 0 | 1): string | undefined {
  try {
    const stats = path === STANDARD ? fstatSync(standardStream, { bigint: true }) : statSync(path, { bigint: true });
    return stats.isFile() ? fileKey(stats) : undefined;
  } catch {
    // It does not exist; reading it will report that.
    return undefined;
  }
}

/** Returns the path of a file that does not exist yet, with links resolved; `undefined` for other outputs. */
const newFilePath = (path: string): string | undefined =>
  path === STANDARD || existsSync(path) ? undefined : resolveLinks(path);

function refuseInput(path: string, key: string): void {
  if (inputFiles.has(key))
    throw new FileError(
      `cannot write ${path === STANDARD ? "to standard output" : path}: it is an input; choose another name`,
    );
}

/** Describes common `errno` codes. */
function reason(error: unknown): string {
  if (error instanceof Interrupted) return error.message;
  const { code, message, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
      return "the disk is full";
    case "EDQUOT":
      return "your disk quota is full";
    case "EFBIG":
      return "files so large are not allowed here (see ulimit -f)";
    case "EROFS":
      return "the disk is read-only";
    case "EPIPE":
      return "its reader closed it before all data was written";
    case "EACCES":
    case "EPERM":
      return path !== undefined && TEMPORARY_NAME.test(basename(path))
        ? `no file can be created in the folder ${dirname(path)}: permission denied`
        : "permission denied";
    case "ENAMETOOLONG":
      return "its name is too long";
    default:
      return message;
  }
}

const TEMPORARY_NAME = /^\.kinestitch-/;
