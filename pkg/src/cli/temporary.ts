/**
 * Temporary files of outputs. They are in the folder of the output, so that a rename puts them in place. Their names
 * contain the process that made them, so that the next run removes those of killed processes.
 */
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const NAME = /^\.kinestitch-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/;

/** A temporary file is never used for longer than this, because it is created only after the result is computed. */
const OLDEST_MS = 24 * 60 * 60 * 1000;

/** Identifies the machine (or container) of a process number: folders may be shared between several. */
function host(): string {
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has process numbers per container.
  }
  return createHash("sha256").update(`${hostname()} ${space}`).digest("hex").slice(0, 8);
}

/** A unique file name in the folder. */
export function temporaryIn(folder: string): string {
  return join(folder, `.kinestitch-${host()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/** Removes files of ended processes from a folder, and returns their names. */
export function sweep(folder: string): string[] {
  const here = host();
  try {
    return readdirSync(folder).filter((name) => {
      const [, machine, process] = NAME.exec(name) ?? [];
      if (machine === undefined) return false;
      const path = join(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found?.isFile()) return false;
      const isOver = machine === here ? !isRunning(Number(process)) : Date.now() - found.mtimeMs > OLDEST_MS;
      if (isOver) rmSync(path, { force: true });
      return isOver;
    });
  } catch {
    // A folder that cannot be listed may still be writable.
    return [];
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // EPERM means a running process of another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
