// Provides wasm-bindgen in the exact version that the crate needs, and wasm-pack and cargo-deny in fixed versions, from
// the PATH or built once into the cache. Tools that are installed for other projects are never replaced.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cache, makeFolder, output, root, run, runScript, UserError, which } from "./shell.mjs";

const WASM_PACK = "0.15.1";
const CARGO_DENY = "0.20.2";

/** Returns the version of wasm-bindgen in Cargo.lock; the command-line tool must have the same version. */
export function bindgenVersion() {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const match = /name = "wasm-bindgen"\r?\nversion = "([^"]+)"/.exec(lock);
  if (!match) throw new UserError("Cargo.lock does not list wasm-bindgen");
  return match[1];
}

/** Options for quick builds, because the tools run for seconds only. */
const QUICK_BUILD = {
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "64",
};

/**
 * Returns the folders to prepend to the PATH so that it has `program` in `version`: none, or one in the cache, filled by
 * cargo install.
 */
function installTool(crate, program, version, { options = ["--locked"], optLevel = "0" } = {}) {
  const toolFolder = join(cache, "tools", `${crate}-${version}`);
  const bin = join(toolFolder, "bin");
  const hasVersion = (program) => !!program && !!output(program, ["--version"])?.split(/\s+/).includes(version);
  if (hasVersion(which(program))) return [];
  if (hasVersion(join(bin, program))) return [bin];
  console.log(`Building ${crate} ${version} (once, about two minutes)`);
  // In the folder of the cache, cargo does not use the target folder and the toolchain of this project.
  run("cargo", ["install", crate, "--version", version, "--root", toolFolder, ...options], {
    cwd: makeFolder(cache),
    env: { ...QUICK_BUILD, CARGO_PROFILE_RELEASE_OPT_LEVEL: optLevel },
  });
  if (!hasVersion(join(bin, program)))
    throw new UserError(`cargo install ${crate} did not install a working ${program}`);
  return [bin];
}

/** Not locked: the lock file in wasm-bindgen-cli 0.2.130 names a crate version that was withdrawn. */
const installBindgen = () =>
  // Optimised a little, because it reads tens of megabytes.
  installTool("wasm-bindgen-cli", "wasm-bindgen", bindgenVersion(), { options: [], optLevel: "1" });

const prependPath = (folders) => ({ PATH: [...folders, process.env.PATH].join(delimiter) });

/** Environment whose PATH has the right wasm-bindgen (and its test runner). */
export const wasmBindgen = () => prependPath(installBindgen());

/** Environment whose PATH has wasm-pack and the right wasm-bindgen. */
export const wasmPack = () => prependPath([...installBindgen(), ...installTool("wasm-pack", "wasm-pack", WASM_PACK)]);

/** Environment whose PATH has cargo-deny. */
export const cargoDeny = () => prependPath(installTool("cargo-deny", "cargo-deny", CARGO_DENY));

await runScript(
  import.meta,
  () => wasmPack() && console.log(`wasm-bindgen ${bindgenVersion()}, wasm-pack ${WASM_PACK}: ready`),
);
