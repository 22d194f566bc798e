// Helpers of the other scripts. They use only modules of Node, because they run before `npm install`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository root. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Cache shared between clones: holds tools built from source. KINESTITCH_CACHE moves it. */
export const cache =
  process.env.KINESTITCH_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kinestitch");

/** An error whose message is printed without a stack. */
export class Stop extends Error {}

/** Runs a command with visible output; throws Stop if it fails. */
export function run(command, args = [], { env = {}, cwd = root } = {}) {
  const commandLine = [command, ...args].join(" ");
  console.log(`$ ${commandLine}`);
  const result = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (result.error) throw new Stop(`${commandLine}: ${result.error.message}`);
  if (result.status !== 0)
    throw new Stop(`${commandLine}: ended with ${result.signal ?? `exit code ${result.status}`}`);
}

/** Like `run`, but asynchronous; resolves when the command has succeeded. */
export function runAsync(command, args = [], { env = {}, cwd = root } = {}) {
  const commandLine = [command, ...args].join(" ");
  console.log(`$ ${commandLine}`);
  const child = spawn(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Stop(`${commandLine}: ${error.message}`)));
    child.on("close", (code, signal) =>
      code === 0 ? resolve() : reject(new Stop(`${commandLine}: ended with ${signal ?? `exit code ${code}`}`)),
    );
  });
}

/** Returns the trimmed standard output of a command; null if the command is missing or fails. */
export function output(command, args = [], { env = {}, cwd = root } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  return result.error || result.status !== 0 ? null : result.stdout.trim();
}

/** Returns the path of a program in `extraFolders` or on the PATH; null if it is in neither. */
export function which(program, extraFolders = []) {
  for (const folder of [...extraFolders, ...(process.env.PATH ?? "").split(delimiter)]) {
    const path = join(folder, process.platform === "win32" ? `${program}.exe` : program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The program is not in this folder.
    }
  }
  return null;
}

/** Lists, sorted, the files below paths (files or folders, relative to the root) that `keep` accepts. */
export function files(paths, keep = () => true) {
  const matches = [];
  const walk = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) readdirSync(path).forEach((name) => walk(join(path, name)));
    else if (keep(relative(root, path))) matches.push(path);
  };
  paths.forEach((path) => walk(resolve(root, path)));
  return matches.sort();
}

/** Returns a hash of the names and contents of files, and of `words`. */
export function fingerprint(paths, words = []) {
  const hash = createHash("sha256");
  for (const path of paths)
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  for (const word of words) hash.update(`${word}\0`);
  return hash.digest("hex");
}

/** Returns the text of a file; null if it does not exist. */
export const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : null);

/** Creates a folder if it is missing; returns its path. */
export function folder(path) {
  mkdirSync(path, { recursive: true });
  return path;
}

/** Runs apt-get, with sudo unless the user is root. Returns false if apt is missing or not permitted. */
export function apt(packages) {
  if (!which("apt-get")) return false;
  const sudo = process.getuid?.() === 0 ? [] : which("sudo") ? ["sudo", "-n"] : null;
  if (!sudo) return false;
  const [command, ...args] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"];
  try {
    run(command, [...args, "update"]);
    run(command, [...args, "install", "-y", "--no-install-recommends", ...packages]);
    return true;
  } catch (stop) {
    console.error(stop.message);
    return false;
  }
}

/**
 * Runs `main` if Node was started with this module; prints a Stop as one sentence. With `--help` it
 * prints the comment at the top of the file instead.
 */
export async function script(meta, main) {
  const path = fileURLToPath(meta.url);
  if (!process.argv[1] || resolve(process.argv[1]) !== path) return;
  if (process.argv.includes("--help")) console.log(headComment(readFileSync(path, "utf8")));
  else await runMain(main);
}

/** Returns the comment at the top of a script without its slashes. */
export function headComment(text) {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}

/** Runs main; a Stop becomes one sentence on stderr and exit code 1. */
async function runMain(main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Stop ? `kinestitch: ${error.message}` : error);
    process.exit(1);
  }
}
