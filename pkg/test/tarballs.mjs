// For tests of packages as their users install them (packed, player, consumers): packs a package with
// npm (`pack`), and unpacks its tarball (`unpack`).
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs the package in a folder into `targetFolder`. Resolves to the path of the tarball. */
export async function pack(packageFolder, targetFolder) {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", targetFolder], { cwd: packageFolder });
  // The lifecycle script's output precedes the list.
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  return join(targetFolder, filename);
}

/** Packs the package in a folder, and unpacks it to `target`. Resolves to the path of the tarball, beside `target`. */
export async function unpack(packageFolder, target) {
  mkdirSync(target, { recursive: true });
  const tarball = await pack(packageFolder, join(target, ".."));
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  return tarball;
}
