// Provides wasm-bindgen in the exact version that the crate needs, and wasm-pack and cargo-deny in fixed versions, from
// the PATH or built once into the cache. Tools that are installed for other projects are never replaced.
//
//     node scripts/tools.mjs [wasm-bindgen] [wasm-pack] [cargo-deny]
//
// Without names: all three.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cacheFolder, makeFolder, output, root, runAsync, runScript, UserError, which } from "./shell.mjs";

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
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
};

/**
 * Returns the folders to prepend to the PATH so that it has `program` in `version`: none, or one in the cache, filled by
 * cargo install.
 */
async function installTool(crate, program, version, options = ["--locked"]) {
  const toolFolder = join(cacheFolder, "tools", `${crate}-${version}`);
  const bin = join(toolFolder, "bin");
  const hasVersion = (program) => !!program && !!output(program, ["--version"])?.split(/\s+/).includes(version);
  if (hasVersion(which(program))) return [];
  if (hasVersion(join(bin, program))) return [bin];
  console.log(`Building ${crate} ${version} (once, about two minutes)`);
  await runAsync("cargo", ["install", crate, "--version", version, "--root", toolFolder, ...options], {
    // Outside of the repository, so that its toolchain file does not apply.
    cwd: makeFolder(cacheFolder),
    // In a target folder of its own: cargo locks the folder while it compiles, and tools compile beside our modules.
    env: { ...QUICK_BUILD, CARGO_TARGET_DIR: undefined },
  });
  if (!hasVersion(join(bin, program)))
    throw new UserError(`cargo install ${crate} did not install a working ${program}`);
  return [bin];
}

/** The crates of wasm-bindgen that read and write modules: optimised a little, because modules have tens of megabytes. */
const MODULE_CRATES = ["gimli", "walrus", "wasm-bindgen-cli-support", "wasm-encoder", "wasmparser"];

const installBindgen = () =>
  installTool("wasm-bindgen-cli", "wasm-bindgen", bindgenVersion(), [
    // Not locked: the lock file in wasm-bindgen-cli 0.2.130 names a crate version that was withdrawn. Without TLS: its
    // test runner speaks only with the local driver of the browser.
    "--no-default-features",
    ...MODULE_CRATES.flatMap((crate) => ["--config", `profile.release.package.${crate}.opt-level=1`]),
  ]);
const installWasmPack = () => installTool("wasm-pack", "wasm-pack", WASM_PACK);
const installDeny = () => installTool("cargo-deny", "cargo-deny", CARGO_DENY);

const prependPath = (folders) => ({ PATH: [...folders, process.env.PATH].join(delimiter) });

/** Environment whose PATH has the right wasm-bindgen (and its test runner). */
export const wasmBindgenEnv = async () => prependPath(await installBindgen());

/** Environment whose PATH has wasm-pack and the right wasm-bindgen. */
export const wasmPackEnv = async () => prependPath([...(await installBindgen()), ...(await installWasmPack())]);

/** Environment whose PATH has cargo-deny. */
export const cargoDenyEnv = async () => prependPath(await installDeny());

const INSTALLERS = { "wasm-bindgen": installBindgen, "wasm-pack": installWasmPack, "cargo-deny": installDeny };

await runScript(import.meta, async (names) => {
  const unknown = names.find((name) => !Object.hasOwn(INSTALLERS, name));
  if (unknown)
    throw new UserError(`there is no tool "${unknown}"; the tools are ${Object.keys(INSTALLERS).join(", ")}`);
  for (const name of names.length ? names : Object.keys(INSTALLERS)) {
    await INSTALLERS[name]();
    console.log(`${name}: ready`);
  }
});
