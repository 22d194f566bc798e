/**
 * Temporary files of outputs. They are in the folder of the output, so that a rename suffices to replace the output.
 * Their names contain the number of their process, so that the next run can remove the files of killed processes.
 */
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const TEMPORARY_NAME = /^\.kinestitch-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp$/;

/**
 * Age after which a temporary file of another machine counts as left over: a file is created only after its result is
 * computed, so it is never in use for so long.
 */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Returns a hash of the machine (or container), because several machines may share a folder. */
function hostId(): string {
  let namespace = "";
  try {
    namespace = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has process numbers per container.
  }
  return createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

/** Returns a unique path in the folder. */
export function temporaryPath(folder: string): string {
  return join(folder, `.kinestitch-${hostId()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/**
 * Removes temporary files from a folder, and returns their names: files of ended processes, and files of other machines
 * that are older than {@link MAX_AGE_MS}.
 */
export function removeStaleFiles(folder: string): string[] {
  const currentHost = hostId();
  try {
    return readdirSync(folder).filter((name) => {
      const [, host, processId] = TEMPORARY_NAME.exec(name) ?? [];
      if (host === undefined) return false;
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile()) return false;
      const isStale = host === currentHost ? !isRunning(Number(processId)) : Date.now() - stats.mtimeMs > MAX_AGE_MS;
      return isStale && remove(path);
    });
  } catch {
    // A folder that cannot be listed may still be writable.
    return [];
  }
}

/** Removes a file. Returns whether it could be removed: it may belong to another user. */
function remove(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // EPERM means that a process of another user is running.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
