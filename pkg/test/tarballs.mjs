// Packages as npm packs them, for tests of their users.
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs the package in folder `from` into the folder `to`. Resolves to the tarball's path. */
export async function pack(from, to) {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", to], { cwd: from });
  // The lifecycle script's output precedes the list.
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  return join(to, filename);
}

/** Packs the package in folder `from`, and unpacks it to `target`. Resolves to the tarball's path, beside `target`. */
export async function unpack(from, target) {
  mkdirSync(target, { recursive: true });
  const tarball = await pack(from, join(target, ".."));
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  return tarball;
}
