// Rust → pkg/wasm: cargo, wasm-bindgen, wasm-opt, for each of the modules. Does nothing for one whose inputs are
// unchanged.
//
//     node scripts/build-wasm.mjs [--dev]
//
// --dev leaves wasm-opt out, and link-time optimisation of the light module: seconds instead of a minute, a module a third
// larger. The networks' module is compiled one way only: most of its time is Burn and wgpu, which nobody waits for twice.
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files, fingerprint, folder, output, read, root, run, script, Stop } from "./shell.mjs";
import { installPackages } from "./packages.mjs";
import { wasmToolchain } from "./toolchain.mjs";
import { bindgenVersion, wasmBindgen } from "./tools.mjs";

const OUT = join(root, "pkg", "wasm");
// The features are those rustc turns on for wasm32 and our simd128.
const FEATURES = ["--enable-simd", "--enable-bulk-memory", "--enable-sign-ext", "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int", "--enable-reference-types", "--enable-multivalue"];

const LIGHT = /^src\/(bin|train|nn|method\/rmr|wasm\/networks)\b/;

/** The modules. `skip`: sources that are not in it, by the layers of tests/layering.rs. */
const MODULES = {
  kinestitch: {
    cargo: ({ dev }) => ["--profile", dev ? "release" : "wasm"],
    bindgen: [],
    opt: ["-O3"], // against -Os: see README, "Sizes"
    skip: LIGHT,
  },
  // For pages that read and show motions, such as those with a player.
  kinestitch_small: {
    cargo: ({ dev }) => ["--profile", dev ? "release" : "wasm-small", "--features", "small"],
    bindgen: [],
    opt: ["-Oz"],
    skip: LIGHT,
  },
  networks: {
    cargo: () => ["--profile", "networks", "--features", "webgpu"],
    bindgen: ["--remove-name-section"], // of 40,000 functions: 1 MB gzip
    // Of 2,573 KB gzip, -O1 makes 2,531 in 45 s, -Os 2,712 in 170 s (it inlines); the CPU's pass is as quick with either.
    opt: ["-O1"],
    skip: /^src\/(bin|train|stitch|wasm\/(clip|curves|lscore|read|stitch))\b/,
  },
};

/** Everything a module is made from. Binaries and training code are in neither. */
const inputs = (skip) =>
  files(["src", "Cargo.toml", "Cargo.lock", ".cargo/config.toml", "scripts/build-wasm.mjs"], (path) => !skip.test(path));

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;

const stampOf = (name) => join(OUT, `.${name}.stamp.json`);

function buildModule(name, { cargo, bindgen, opt, skip }, dev, env) {
  const stampPath = stampOf(name);
  const bound = join(OUT, `${name}_bg.wasm`);
  const made = fingerprint(inputs(skip), [output("rustc", ["--version"], { env }) ?? "", bindgenVersion()]);
  const stamp = JSON.parse(read(stampPath) ?? "{}");
  if (stamp.made === made && (dev || !stamp.dev) && existsSync(bound)) {
    console.log(`pkg/wasm/${name} is up to date`);
    return false;
  }
  const started = performance.now();
  const tools = wasmBindgen();
  const profile = cargo({ dev });
  run("cargo", ["build", "--lib", ...profile, "--target", "wasm32-unknown-unknown"], { env });

  // cargo itself knows best where its target folder lies (CARGO_TARGET_DIR, config files).
  const metadata = output("cargo", ["metadata", "--no-deps", "--format-version", "1"], { env });
  if (!metadata) throw new Stop("cargo metadata failed");
  const target = JSON.parse(metadata).target_directory;
  const wasm = join(target, "wasm32-unknown-unknown", profile[1], "kinestitch.wasm");

  folder(OUT);
  const own = [`${name}.`, `${name}_bg.`, `.${name}.stamp.json`];
  for (const file of readdirSync(OUT)) if (own.some((start) => file.startsWith(start))) rmSync(join(OUT, file));
  const fresh = folder(join(OUT, "fresh"));
  run("wasm-bindgen", ["--target", "web", ...bindgen, "--out-dir", fresh, "--out-name", name, wasm], { env: tools });
  for (const file of readdirSync(fresh)) renameSync(join(fresh, file), join(OUT, file));
  rmSync(fresh, { recursive: true });
  const before = statSync(bound).size;
  if (!dev) {
    installPackages();
    const small = join(OUT, "small.wasm");
    run(process.execPath, [join(root, "node_modules", "binaryen", "bin", "wasm-opt"), bound, ...opt, ...FEATURES, "-o", small]);
    renameSync(small, bound);
  }
  writeFileSync(stampPath, JSON.stringify({ made, dev }));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`pkg/wasm/${name}: ${kib(before)}${dev ? "" : ` → ${kib(statSync(bound).size)}`}, ${seconds} s`);
  return true;
}

/** Builds the modules; resolves to whether anything changed. */
export function buildWasm({ dev = false } = {}) {
  const env = wasmToolchain();
  const built = Object.entries(MODULES).map(([name, module]) => buildModule(name, module, dev, env));
  return built.includes(true);
}

await script(import.meta, (words) => void buildWasm({ dev: words.includes("--dev") }));
