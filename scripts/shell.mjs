// Helpers for the other scripts. This file uses only Node's own modules, because it is needed before `npm install`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The repository root. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Folder of what is made once for all clones: tools built from source, unpacked recordings. The variable
 * KINESTITCH_CACHE sets another folder.
 */
export const cacheFolder =
  process.env.KINESTITCH_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kinestitch");

/**
 * An error whose message tells the user what to do. If `main` throws it, `runScript` prints only the message and ends
 * with exit code 1.
 */
export class UserError extends Error {}

/** Runs a command with visible output; throws UserError if it fails. */
export function run(command, args = [], { env = {}, cwd = root } = {}) {
  const commandLine = [command, ...args].join(" ");
  console.log(`$ ${commandLine}`);
  const result = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (result.error) throw new UserError(`${commandLine}: ${result.error.message}`);
  if (result.status !== 0)
    throw new UserError(`${commandLine}: ended with ${result.signal ?? `exit code ${result.status}`}`);
}

/** The commands that `runAsync` has started and that have not ended. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill()));

/** Like `run`, but asynchronous; resolves when the command has succeeded. The end of the script ends the command, unless a signal ends the script. */
export function runAsync(command, args = [], { env = {}, cwd = root } = {}) {
  const commandLine = [command, ...args].join(" ");
  console.log(`$ ${commandLine}`);
  const child = spawn(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
  running.add(child);
  return new Promise((done, fail) => {
    child.on("error", (error) => fail(new UserError(`${commandLine}: ${error.message}`)));
    child.on("close", (code, signal) =>
      code === 0 ? done() : fail(new UserError(`${commandLine}: ended with ${signal ?? `exit code ${code}`}`)),
    );
  }).finally(() => running.delete(child));
}

/** Returns the trimmed standard output of a command; null if the command is missing or fails. */
export function output(command, args = [], { env = {}, cwd = root } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  return result.error || result.status !== 0 ? null : result.stdout.trim();
}

/** Returns the path of a program in `extraFolders` or on the PATH; null if it is in neither. */
export function which(program, extraFolders = []) {
  for (const folder of [...extraFolders, ...(process.env.PATH ?? "").split(delimiter)].filter(Boolean)) {
    const path = join(folder, process.platform === "win32" ? `${program}.exe` : program);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path; // X_OK is also true for folders
    } catch {
      // The program is not in this folder.
    }
  }
  return null;
}

/**
 * Returns the sorted absolute paths of all files below `paths` (files or folders, relative to the root); paths that do
 * not exist are skipped. `keep` gets the path of a file relative to the root, and returns whether the file is in the
 * list.
 */
export function listFiles(paths, keep = () => true) {
  const matches = [];
  const walk = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) readdirSync(path).forEach((name) => walk(join(path, name)));
    else if (keep(relative(root, path))) matches.push(path);
  };
  paths.forEach((path) => walk(resolve(root, path)));
  return matches.sort();
}

/** Returns a hash of the paths and contents of files, and of the strings `values`. */
export function fingerprint(paths, values = []) {
  const hash = createHash("sha256");
  for (const path of paths)
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  for (const value of values) hash.update(`${value}\0`);
  return hash.digest("hex");
}

/** Returns the text of a file; null if it does not exist. */
export const readIfExists = (path) => (existsSync(path) ? readFileSync(path, "utf8") : null);

/** Creates a folder if it is missing; returns its path. */
export function makeFolder(path) {
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Installs Debian packages by apt-get, with sudo unless the user is root. Returns false if apt-get or sudo is missing,
 * if sudo needs a password, or if apt-get fails.
 */
export function aptInstall(packages) {
  if (!which("apt-get")) return false;
  const sudo = process.getuid?.() === 0 ? [] : which("sudo") ? ["sudo", "-n"] : null;
  if (!sudo) return false;
  const [command, ...args] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"];
  try {
    run(command, [...args, "update"]);
    run(command, [...args, "install", "-y", "--no-install-recommends", ...packages]);
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

/** Returns the port of a server: that of the argument --port N, else the variable PORT, else 8080. */
export function portOf(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: { port: { type: "string" } } }));
  } catch (error) {
    throw new UserError(`${error.message}; see --help`);
  }
  const text = values.port ?? (process.env.PORT || "8080");
  if (!/^\d+$/.test(text) || Number(text) > 65_535)
    throw new UserError(
      `the port (--port N, or the variable PORT) must be a whole number from 0 to 65535, not "${text}"`,
    );
  return Number(text);
}

/**
 * Runs `main` with the command-line arguments, but only if Node was started with the calling script (`meta`: its
 * `import.meta`), not if the script was imported. With `--help`, prints the comment at the top of that file instead.
 */
export async function runScript(meta, main) {
  const path = fileURLToPath(meta.url);
  // Node resolves symbolic links in `import.meta.url`, but not in `process.argv`.
  if (!process.argv[1] || !existsSync(process.argv[1]) || realpathSync(process.argv[1]) !== path) return;
  if (process.argv.includes("--help")) console.log(headComment(readFileSync(path, "utf8")));
  else await runMain(main);
}

/** Returns the comment at the top of a script, without `//`. A line with `#!` before it is skipped. */
export function headComment(text) {
  const [, comment] = /^(?:#!.*\n)?((?:\/\/.*(?:\n|$))*)/.exec(text.replaceAll("\r", ""));
  return comment.trimEnd().replace(/^\/\/ ?/gm, "");
}

/** Runs `main`. If it fails, prints the error (of a UserError only the message) and ends with exit code 1. */
async function runMain(main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof UserError ? `kinestitch: ${error.message}` : error);
    process.exit(1);
  }
}
