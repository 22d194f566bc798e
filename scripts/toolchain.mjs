// Finds or makes a Rust toolchain that compiles to wasm32-unknown-unknown.
//
// 1. The active rustup toolchain, with `rustup target add`. This needs the internet.
// 2. If rustup cannot download the target: Debian's rustc-web, linked as the toolchain `debian`. Debian packages only
//    the sources of the wasm32 standard library, so the library is built once and copied into this toolchain.
// 3. Otherwise, an error says what to install.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aptInstall, makeFolder, output, run, runScript, UserError, which } from "./shell.mjs";

const TARGET = "wasm32-unknown-unknown";
const DEBIAN = "debian";
// lld-22: the program that Debian's rust-lld links to. rust-web-llvm: LLVM tools that the other packages load.
const DEBIAN_PACKAGES = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22"];

/** Returns the folder of a toolchain's wasm32 library; null without the toolchain. */
function libraryFolder(toolchain) {
  const sysroot = output("rustc", [...(toolchain ? [`+${toolchain}`] : []), "--print", "sysroot"]);
  return sysroot && join(sysroot, "lib", "rustlib", TARGET, "lib");
}

/** Whether a toolchain (null: the active one) has the wasm32 standard library. */
function hasTarget(toolchain) {
  const lib = libraryFolder(toolchain);
  return !!lib && existsSync(lib) && readdirSync(lib).some((name) => /^libstd-.*\.rlib$/.test(name));
}

/** Builds the wasm32 standard library from Debian's sources, and copies it into Debian's sysroot. Takes a minute. */
function buildDebianLibrary() {
  const lib = libraryFolder(DEBIAN);
  const crate = mkdtempSync(join(tmpdir(), "kinestitch-std-"));
  try {
    makeFolder(join(crate, "src"));
    writeFileSync(
      join(crate, "Cargo.toml"),
      '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n',
    );
    writeFileSync(join(crate, "src", "lib.rs"), "");
    // wasm-bindgen's tests need `test` to compile.
    const args = [
      `+${DEBIAN}`,
      "build",
      "--release",
      "--target",
      TARGET,
      "-Zbuild-std=std,panic_abort,test",
      "--target-dir",
      join(crate, "target"),
    ];
    run("cargo", args, { cwd: crate, env: { RUSTC_BOOTSTRAP: "1" } });
    const builtLibraries = join(crate, "target", TARGET, "release", "deps");
    makeFolder(lib);
    for (const name of readdirSync(builtLibraries)) {
      if (name.endsWith(".rlib") && !name.startsWith("libseed"))
        copyFileSync(join(builtLibraries, name), join(lib, name));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot put the wasm32 standard library into ${lib} (${error.message}): run this once as root`);
  } finally {
    rmSync(crate, { recursive: true, force: true });
  }
}

/** Installs and links Debian's toolchain with its wasm32 library. Returns whether it is usable. */
function setUpDebian() {
  const installed = () => existsSync("/usr/bin/rustc") && existsSync("/usr/bin/cargo") && which("wasm-ld-22");
  if (!installed() && !(aptInstall(DEBIAN_PACKAGES) && installed())) return false;
  if (!output("rustc", [`+${DEBIAN}`, "--version"])) run("rustup", ["toolchain", "link", DEBIAN, "/usr"]);
  if (!hasTarget(DEBIAN)) buildDebianLibrary();
  return hasTarget(DEBIAN);
}

/** Returns the environment in which cargo uses a toolchain with the wasm32 target; sets one up if necessary. */
export function wasmToolchain() {
  if (!which("rustup") || !which("cargo")) {
    throw new UserError("Rust is missing: install rustup from https://rustup.rs, then run this command again");
  }
  if (hasTarget(null)) return {};
  if (hasTarget(DEBIAN)) return { RUSTUP_TOOLCHAIN: DEBIAN };
  console.log(`Adding Rust's ${TARGET} target (once)`);
  try {
    run("rustup", ["target", "add", TARGET]);
  } catch {
    console.log("rustup could not download the target; trying Debian's packages");
  }
  if (hasTarget(null)) return {};
  if (setUpDebian()) return { RUSTUP_TOOLCHAIN: DEBIAN };
  throw new UserError(
    `no Rust toolchain for ${TARGET}: run "rustup target add ${TARGET}" with access to static.rust-lang.org, ` +
      `or on Debian, as root, "apt-get install ${DEBIAN_PACKAGES.join(" ")}"`,
  );
}

// `node scripts/toolchain.mjs debian` forces the second way, for testing it.
await runScript(import.meta, ([toolchain]) => {
  if (toolchain !== undefined && toolchain !== DEBIAN)
    throw new UserError(`unknown toolchain "${toolchain}"; the only argument is "${DEBIAN}"`);
  if (toolchain === DEBIAN && !setUpDebian()) throw new UserError("Debian's packages could not be installed");
  console.log(`wasm toolchain: ${toolchain ?? wasmToolchain().RUSTUP_TOOLCHAIN ?? "the active one"}`);
});
