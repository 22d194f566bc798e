// Rust → pkg/wasm: cargo, wasm-bindgen, wasm-opt, for each module. Modules with unchanged inputs are skipped.
//
//     node scripts/build-wasm.mjs [--dev] [--no-gpu]
//
// --dev skips wasm-opt, and link-time optimisation of the light module: seconds instead of a minute, a module a third
// larger. --no-gpu leaves the WebGPU module unchanged, or writes an empty file if there is none. It has only one kind
// of build, of twelve minutes, mostly for Burn and wgpu.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fingerprint, folder, output, read, root, run, runBeside, script, Stop } from "./shell.mjs";
import { installPackages } from "./packages.mjs";
import { wasmToolchain } from "./toolchain.mjs";
import { bindgenVersion, wasmBindgen } from "./tools.mjs";

const OUT = join(root, "pkg", "wasm");
const TARGET = "wasm32-unknown-unknown";
// The features that rustc enables for wasm32, and simd128.
const FEATURES = [
  "--enable-simd",
  "--enable-bulk-memory",
  "--enable-sign-ext",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-multivalue",
];

/** The modules: cargo arguments and optimisation of each. */
const MODULES = {
  kinestitch: {
    cargo: ({ dev }) => ["--profile", dev ? "release" : "wasm"],
    opt: ["-O3"], // -Os is 3 % smaller, but the map of cuts takes four to five times as long
  },
  // In-betweening, and networks on the CPU.
  live: {
    cargo: ({ dev }) => ["--profile", dev ? "release" : "wasm", "--features", "live"],
    opt: ["-O3"],
  },
  // For pages that only read and show motions, such as those with a player.
  kinestitch_small: {
    cargo: ({ dev }) => ["--profile", dev ? "release" : "wasm-small", "--features", "small"],
    opt: ["-Oz"],
  },
  networks: {
    cargo: () => ["--profile", "networks", "--features", "webgpu"],
    // Of 2,573 KB gzip, -O1 makes 2,531 in 45 s, -Os 2,712 in 170 s (it inlines).
    opt: ["-O1"],
    // After a trap the package loads another copy of its script instead.
    restarts: false,
  },
};

/** Inputs of all modules apart from their sources: they select crates and options. */
const COMMON = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "scripts/build-wasm.mjs"];

/** Hash of a module's inputs. `sources`: paths from the root. Null if a file is missing. */
function madeFrom(sources, env) {
  const paths = [...COMMON, ...sources].map((path) => join(root, path));
  if (!paths.every((path) => existsSync(path))) return null;
  return fingerprint(paths, [output("rustc", ["--version"], { env }) ?? "", bindgenVersion()]);
}

/**
 * Our own sources that the compiler read for a module, from cargo's dep-info file (a line "output: source source",
 * spaces escaped), which is also cargo's basis for rebuilding.
 */
export function sourcesOf(text) {
  const words =
    text
      .split("\n")[0]
      .replace(/^(?:\\ |[^:]|:(?! ))*: /, "")
      .match(/(?:\\ |\S)+/g) ?? [];
  const inside = words.map((word) => relative(root, resolve(root, word.replaceAll("\\ ", " "))));
  return inside
    .filter((path) => !path.startsWith(".."))
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;

const stampOf = (name) => join(OUT, `.${name}.stamp.json`);

/** The modules of `names` that are out of date, with their present inputs. */
function stale(names, dev, env) {
  return names.flatMap((name) => {
    const module = MODULES[name];
    const stamp = JSON.parse(read(stampOf(name)) ?? "{}");
    const made = stamp.sources && madeFrom(stamp.sources, env);
    if (made && stamp.made === made && (dev || !stamp.dev) && existsSync(join(OUT, `${name}_bg.wasm`))) {
      console.log(`pkg/wasm/${name} is up to date`);
      return [];
    }
    return [{ ...module, name, dev }];
  });
}

/**
 * Completes a script made with --experimental-reset-state-function. Freeing an object of a previous instance must do
 * nothing; as wasm-bindgen writes it, it would free other data in the new instance. The restart becomes a property of
 * the script's one function, so that nothing else needs to be imported.
 */
export function restartable(path) {
  const text = readFileSync(path, "utf8");
  const classes = text.match(/^export class /gm)?.length ?? 0;
  let guards = 0;
  const guarded = text.replace(
    /^( {4}free\(\) \{\n)( {8}const ptr = this\.__destroy_into_raw\(\);\n)/gm,
    (_, head, taken) => {
      guards++;
      const isGone = "this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id";
      return `${head}        const isGone = ${isGone};\n${taken}        if (isGone) return;\n`;
    },
  );
  const start = "export { initSync, __wbg_init as default };";
  if (guards !== classes || !guarded.includes("export function __wbg_reset_state ") || !guarded.includes(start))
    throw new Stop(
      `${path}: this version of wasm-bindgen writes scripts another way; see restartable in scripts/build-wasm.mjs`,
    );
  const reset = "__wbg_init.reset = () => {\n    __wbg_reset_state();\n    return wasm;\n};\n\n";
  writeFileSync(path, guarded.replace(start, `${reset}${start}`));
}

/** Runs wasm-bindgen and, except in quick builds, wasm-opt. */
async function bind({ name, wasm, opt, restarts = true, dev, sources, made }, tools) {
  const bound = join(OUT, `${name}_bg.wasm`);
  const own = [`${name}.`, `${name}_bg.`, `.${name}.stamp.json`];
  for (const file of readdirSync(OUT)) if (own.some((start) => file.startsWith(start))) rmSync(join(OUT, file));
  const fresh = folder(join(OUT, `fresh-${name}`));
  // Without a default path, which bundlers would treat as another file to copy: the entries name the files. Function
  // names are a twentieth of the light module, and with Burn's 40,000 functions a megabyte; panics report their
  // location without them.
  const words = ["--target", "web", "--omit-default-module-path", "--remove-name-section"];
  const again = restarts ? ["--experimental-reset-state-function"] : [];
  run("wasm-bindgen", [...words, ...again, "--out-dir", fresh, "--out-name", name, wasm], { env: tools });
  if (restarts) restartable(join(fresh, `${name}.js`));
  for (const file of readdirSync(fresh)) renameSync(join(fresh, file), join(OUT, file));
  rmSync(fresh, { recursive: true });
  const before = statSync(bound).size;
  if (!dev) {
    const small = join(OUT, `${name}.small`);
    await runBeside(process.execPath, [
      join(root, "node_modules", "binaryen", "bin", "wasm-opt"),
      bound,
      ...opt,
      ...FEATURES,
      "-o",
      small,
    ]);
    renameSync(small, bound);
  }
  writeFileSync(stampOf(name), JSON.stringify({ made, dev, sources }));
  console.log(`pkg/wasm/${name}: ${kib(before)}${dev ? "" : ` → ${kib(statSync(bound).size)}`}`);
}

/**
 * Empty files in place of the WebGPU module: bundlers need an existing file, and the package treats an empty one as
 * "not built".
 */
function placeholder() {
  if (existsSync(join(OUT, "networks_bg.wasm"))) return;
  folder(OUT);
  writeFileSync(join(OUT, "networks.js"), 'throw new Error("the WebGPU module is not built: npm run build");\n');
  writeFileSync(join(OUT, "networks_bg.wasm"), "");
}

/** Metadata of the crate and its dependencies from cargo, which downloads missing ones. */
export function cargoMetadata(env, options = []) {
  const found = spawnSync("cargo", ["metadata", "--format-version", "1", "--filter-platform", TARGET, ...options], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  if (found.status !== 0) throw new Stop(`cargo metadata failed: ${found.error?.message ?? found.stderr}`);
  return JSON.parse(found.stdout);
}

/**
 * Arguments of cargo that remove this machine's paths from the modules (panics would contain them): crates/NAME-VERSION
 * and rust/ replace them. Our own sources have paths relative to the repository; remapping them too would rebuild every
 * crate in every clone.
 */
function placeless({ packages }, env) {
  const folders = new Set(
    packages.filter(({ source }) => source).map(({ manifest_path }) => dirname(dirname(manifest_path))),
  );
  const sources = join(output("rustc", ["--print", "sysroot"], { env }) ?? "", "lib", "rustlib", "src", "rust");
  const flags = [...[...folders].sort().map((folder) => [folder, "crates"]), [sources, "rust"]];
  const list = flags.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  return ["--config", `target.${TARGET}.rustflags=${JSON.stringify(list)}`];
}

/** Whether the WebGPU module exists and is up to date. */
export const hasGpu = () => stale(["networks"], false, wasmToolchain()).length === 0;

/** Builds the modules. Resolves to whether anything changed. */
export async function buildWasm({ dev = false, gpu = true } = {}) {
  const env = wasmToolchain();
  if (!gpu) placeholder();
  const todo = stale(
    Object.keys(MODULES).filter((name) => gpu || name !== "networks"),
    dev,
    env,
  );
  if (todo.length === 0) return false;
  const started = performance.now();
  const metadata = cargoMetadata(env);
  const anywhere = placeless(metadata, env);
  const compile = async (module) => {
    const words = module.cargo(module);
    const begun = Date.now();
    await runBeside("cargo", ["build", "--lib", "--no-default-features", ...words, "--target", TARGET, ...anywhere], {
      env,
    });
    // Only cargo knows its target folder (CARGO_TARGET_DIR, config files).
    const made = join(metadata.target_directory, TARGET, words[1]);
    const wasm = join(made, `${module.name}.module.wasm`);
    copyFileSync(join(made, "kinestitch.wasm"), wasm);
    const sources = sourcesOf(readFileSync(join(made, "kinestitch.d"), "utf8"));
    // Files edited during the build make it stale from the start.
    const isEdited = [...COMMON, ...sources].some((path) => statSync(join(root, path)).mtimeMs > begun);
    return { ...module, wasm, sources, made: isEdited ? null : madeFrom(sources, env) };
  };
  // Each profile has its own folder, so profiles compile in parallel, also with installations. Modules of one profile
  // share compiled dependencies and the output's name, so they compile in sequence.
  const profileOf = (module) => module.cargo(module)[1];
  const profiles = [...new Set(todo.map(profileOf))].map((profile) =>
    todo.filter((module) => profileOf(module) === profile),
  );
  const inTurn = async (modules) => {
    const done = [];
    for (const module of modules) done.push(await compile(module));
    return done;
  };
  const compiling = Promise.all(profiles.map(inTurn));
  compiling.catch(() => {}); // reported below
  const tools = wasmBindgen();
  installPackages();
  const compiled = (await compiling).flat();
  folder(OUT);
  await Promise.all(compiled.map((module) => bind(module, tools)));
  console.log(`pkg/wasm: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return true;
}

await script(import.meta, (words) => buildWasm({ dev: words.includes("--dev"), gpu: !words.includes("--no-gpu") }));
