// Rust → pkg/wasm: cargo, wasm-bindgen, wasm-opt. Does nothing when no input changed.
//
//     node scripts/build-wasm.mjs [--dev]
//
// --dev leaves link-time optimisation and wasm-opt out: seconds instead of a minute, a module a third larger.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, fingerprint, folder, output, read, root, run, script, Stop } from "./shell.mjs";
import { installPackages } from "./packages.mjs";
import { wasmToolchain } from "./toolchain.mjs";
import { bindgenVersion, wasmBindgen } from "./tools.mjs";

const OUT = join(root, "pkg", "wasm");
// -O3 against -Os: see README, "Sizes". The features are those rustc turns on for wasm32 and our simd128.
const OPT = ["-O3", "--enable-simd", "--enable-bulk-memory", "--enable-sign-ext", "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int", "--enable-reference-types", "--enable-multivalue"];

/** Everything the module is made from. Binaries and training code are not in it. */
const inputs = () =>
  files(["src", "Cargo.toml", "Cargo.lock", ".cargo/config.toml", "README.md", "scripts/build-wasm.mjs"],
    (path) => !/^src\/(bin|train)\//.test(path));

/** The last build's fingerprint and kind. */
const stampPath = join(OUT, ".stamp.json");

export function buildWasm({ dev = false } = {}) {
  const env = wasmToolchain();
  const made = fingerprint(inputs(), [output("rustc", ["--version"], { env }) ?? "", bindgenVersion()]);
  const stamp = JSON.parse(read(stampPath) ?? "{}");
  if (stamp.made === made && (dev || !stamp.dev) && existsSync(join(OUT, "kinestitch_bg.wasm"))) {
    console.log("pkg/wasm is up to date");
    return false;
  }
  const started = performance.now();
  const profile = dev ? "release" : "wasm";
  const tools = wasmBindgen();
  run("cargo", ["build", "--lib", "--profile", profile, "--target", "wasm32-unknown-unknown"], { env });

  // cargo itself knows best where its target folder lies (CARGO_TARGET_DIR, config files).
  const metadata = output("cargo", ["metadata", "--no-deps", "--format-version", "1"], { env });
  if (!metadata) throw new Stop("cargo metadata failed");
  const target = JSON.parse(metadata).target_directory;
  const wasm = join(target, "wasm32-unknown-unknown", profile, "kinestitch.wasm");
  rmSync(OUT, { recursive: true, force: true });
  folder(OUT);
  run("wasm-bindgen", ["--target", "web", "--out-dir", OUT, "--out-name", "kinestitch", wasm], { env: tools });

  const bound = join(OUT, "kinestitch_bg.wasm");
  const before = statSync(bound).size;
  if (!dev) {
    installPackages();
    const small = join(OUT, "small.wasm");
    run(process.execPath, [join(root, "node_modules", "binaryen", "bin", "wasm-opt"), bound, ...OPT, "-o", small]);
    renameSync(small, bound);
  }
  writeFileSync(stampPath, JSON.stringify({ made, dev }));
  const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`pkg/wasm: ${kib(before)}${dev ? "" : ` → ${kib(statSync(bound).size)}`}, ${seconds} s`);
  return true;
}

await script(import.meta, (words) => void buildWasm({ dev: words.includes("--dev") }));
