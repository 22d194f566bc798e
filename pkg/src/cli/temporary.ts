/**
 * Temporary files of outputs. They lie beside the output, so that a rename puts them in its place; their names tell which process
 * made them, so that those of a process that was killed are found and removed by the next run.
 */
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const NAME = /^\.kinestitch-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/;

/** No run holds a temporary file this long: by then the result is computed, and only written. */
const OLDEST_MS = 24 * 60 * 60 * 1000;

/** Stands for the machine (or container) whose process numbers ours are among: folders are shared between several. */
function host(): string {
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has process numbers of containers.
  }
  return createHash("sha256").update(`${hostname()} ${space}`).digest("hex").slice(0, 8);
}

/** A name that no other file of the folder has. */
export function temporaryIn(folder: string): string {
  return join(folder, `.kinestitch-${host()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/** Removes what processes that have ended left in a folder, and returns the names. */
export function sweep(folder: string): string[] {
  const here = host();
  try {
    return readdirSync(folder).filter((name) => {
      const [, made, process] = NAME.exec(name) ?? [];
      if (made === undefined) return false;
      const path = join(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found?.isFile()) return false;
      const isOver = made === here ? !isRunning(Number(process)) : Date.now() - found.mtimeMs > OLDEST_MS;
      if (isOver) rmSync(path, { force: true });
      return isOver;
    });
  } catch {
    // A folder that cannot be listed can still be written to.
    return [];
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // A process of another user answers EPERM.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
