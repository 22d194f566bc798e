// Rust → pkg/wasm: cargo, wasm-bindgen, wasm-opt, for each module. Modules with unchanged inputs are skipped.
//
//     node scripts/build-wasm.mjs [--dev] [--no-gpu]
//
// --dev skips wasm-opt and link-time optimisation: our own modules take seconds instead of a minute and are a third
// larger. The dependencies of the WebGPU module, mostly Burn and wgpu, are not optimised: it takes four minutes instead
// of twelve, and is larger.
// --no-gpu leaves the WebGPU module unchanged, or writes an empty file if there is none.
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
import { fingerprint, makeFolder, output, readIfExists, root, run, runAsync, runScript, UserError } from "./shell.mjs";
import { installPackages } from "./packages.mjs";
import { wasmToolchain } from "./toolchain.mjs";
import { bindgenVersion, wasmBindgenEnv } from "./tools.mjs";

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

/**
 * Environment of cargo for development builds and tests. By default, each crate's codegen units are optimised together
 * once more (thin local LTO): a network runs in three quarters of the time, but compiling takes up to twice as long.
 */
export const QUICK_RELEASE = { CARGO_PROFILE_RELEASE_LTO: "off" };

/** Arguments of cargo that change settings of the profile "release". */
export const releaseOptions = (settings) => settings.flatMap((setting) => ["--config", `profile.release.${setting}`]);

/**
 * Arguments of cargo for development builds, beside --release, whose folder they use to share macros with the tests. Only
 * our own crates are optimised, to `level`: at 3, our modules are as fast as if all crates were.
 */
export const quickOptions = (level) =>
  releaseOptions([
    "opt-level=0",
    ...["kinestitch", "kinestitch-wasm"].map((name) => `package.${name}.opt-level=${level}`),
  ]);

/**
 * The modules: their profile and features in Cargo.toml, the level of optimisation of our own crate in development builds,
 * and arguments of wasm-opt. `restarts` (default true): whether the script can start a new instance of the module after a
 * trap.
 */
const MODULES = {
  // All functions, with networks on the CPU.
  kinestitch: {
    profile: "wasm",
    features: "",
    quickLevel: 3,
    opt: ["-O3"], // -Os is 3 % smaller, but the map of cuts takes four to five times as long
  },
  // For pages that only read and show motions, such as those with a player.
  kinestitch_small: {
    profile: "wasm-small",
    features: "small",
    quickLevel: 3,
    opt: ["-Oz"],
  },
  // For writing FBX files.
  kinestitch_fbx: {
    profile: "wasm-small",
    features: "fbx",
    quickLevel: 3,
    opt: ["-Oz"],
    restarts: false,
  },
  networks: {
    profile: "networks",
    features: "webgpu",
    quickLevel: 1,
    // Size after gzip: 2,573 KB without wasm-opt, 2,531 KB after -O1 (45 s), 2,712 KB after -Os (170 s; it inlines).
    opt: ["-O1"],
    // After a trap the package loads another copy of its script instead.
    restarts: false,
  },
};

/** Inputs of all modules apart from their sources: they select crates and options. */
const COMMON_INPUTS = ["Cargo.toml", "Cargo.lock", "wasm/Cargo.toml", ".cargo/config.toml", "scripts/build-wasm.mjs"];

/** Returns the hash of a module's inputs; null if a file is missing. `sources`: paths from the root. */
function hashInputs(sources, env) {
  const paths = [...COMMON_INPUTS, ...sources].map((path) => join(root, path));
  if (!paths.every((path) => existsSync(path))) return null;
  return fingerprint(paths, [output("rustc", ["--version"], { env }) ?? "", bindgenVersion()]);
}

/**
 * Returns the paths of our own sources that the compiler read for a module, from the text of cargo's dep-info file (a
 * line "output: source source", spaces escaped), by which cargo also decides what to rebuild.
 */
export function sourcesOf(text) {
  const sources =
    text
      .split("\n")[0]
      .replace(/^(?:\\ |[^:]|:(?! ))*: /, "")
      .match(/(?:\\ |\S)+/g) ?? [];
  const paths = sources.map((source) => relative(root, resolve(root, source.replaceAll("\\ ", " "))));
  return paths
    .filter((path) => !path.startsWith(".."))
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;

const stampOf = (name) => join(OUT, `.${name}.stamp.json`);

/** Returns the modules of `names` that are out of date. */
function staleModules(names, dev, env) {
  return names.flatMap((name) => {
    const module = MODULES[name];
    const stamp = JSON.parse(readIfExists(stampOf(name)) ?? "{}");
    const inputHash = stamp.sources && hashInputs(stamp.sources, env);
    if (inputHash && stamp.inputHash === inputHash && (dev || !stamp.dev) && existsSync(join(OUT, `${name}_bg.wasm`))) {
      console.log(`pkg/wasm/${name} is up to date`);
      return [];
    }
    return [{ ...module, name, dev }];
  });
}

/**
 * Completes a script made with --experimental-reset-state-function. Freeing an object of a previous instance must do
 * nothing; the script of wasm-bindgen would free other data in the new instance. The function that restarts the module
 * becomes a property of the function that starts it, so that nothing else needs to be imported.
 */
export function makeRestartable(path) {
  const text = readFileSync(path, "utf8");
  const classes = text.match(/^export class /gm)?.length ?? 0;
  let guards = 0;
  const guardedText = text.replace(
    /^( {4}free\(\) \{\n)( {8}const ptr = this\.__destroy_into_raw\(\);\n)/gm,
    (_, functionStart, takePointer) => {
      guards++;
      const isGone = "this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id";
      return `${functionStart}        const isGone = ${isGone};\n${takePointer}        if (isGone) return;\n`;
    },
  );
  const exportLine = "export { initSync, __wbg_init as default };";
  if (
    guards !== classes ||
    !guardedText.includes("export function __wbg_reset_state ") ||
    !guardedText.includes(exportLine)
  )
    throw new UserError(
      `${path}: this version of wasm-bindgen writes other scripts; see makeRestartable in scripts/build-wasm.mjs`,
    );
  const reset = "__wbg_init.reset = () => {\n    __wbg_reset_state();\n    return wasm;\n};\n\n";
  writeFileSync(path, guardedText.replace(exportLine, `${reset}${exportLine}`));
}

/** Runs wasm-bindgen and, except in quick builds, wasm-opt. */
async function bind({ name, wasm, opt, restarts = true, dev, sources, inputHash }, tools) {
  const boundWasm = join(OUT, `${name}_bg.wasm`);
  const prefixes = [`${name}.`, `${name}_bg.`, `.${name}.stamp.json`];
  for (const file of readdirSync(OUT)) if (prefixes.some((prefix) => file.startsWith(prefix))) rmSync(join(OUT, file));
  const outputFolder = makeFolder(join(OUT, `fresh-${name}`));
  // No default path of the wasm file, which bundlers would treat as another file to copy: the entries pass the path. No
  // function names: they take a twentieth of the main module, and a megabyte of the WebGPU module, because Burn has
  // 40,000 functions; panics report their location without them.
  const options = ["--target", "web", "--omit-default-module-path", "--remove-name-section"];
  const resetOption = restarts ? ["--experimental-reset-state-function"] : [];
  run("wasm-bindgen", [...options, ...resetOption, "--out-dir", outputFolder, "--out-name", name, wasm], {
    env: tools,
  });
  if (restarts) makeRestartable(join(outputFolder, `${name}.js`));
  for (const file of readdirSync(outputFolder)) renameSync(join(outputFolder, file), join(OUT, file));
  rmSync(outputFolder, { recursive: true });
  const sizeBefore = statSync(boundWasm).size;
  if (!dev) {
    const optimisedWasm = join(OUT, `${name}.small`);
    await runAsync(process.execPath, [
      join(root, "node_modules", "binaryen", "bin", "wasm-opt"),
      boundWasm,
      ...opt,
      ...FEATURES,
      "-o",
      optimisedWasm,
    ]);
    renameSync(optimisedWasm, boundWasm);
  }
  writeFileSync(stampOf(name), JSON.stringify({ inputHash, dev, sources }));
  console.log(`pkg/wasm/${name}: ${kib(sizeBefore)}${dev ? "" : ` → ${kib(statSync(boundWasm).size)}`}`);
}

/**
 * Writes empty files in place of the WebGPU module: bundlers need an existing file, and the package treats an empty one
 * as "not built".
 */
function writePlaceholder() {
  if (existsSync(join(OUT, "networks_bg.wasm"))) return;
  makeFolder(OUT);
  writeFileSync(join(OUT, "networks.js"), 'throw new Error("the WebGPU module is not built: npm run build");\n');
  writeFileSync(join(OUT, "networks_bg.wasm"), "");
}

/** Returns the metadata of the crate and its dependencies from cargo, which downloads missing ones. */
export function cargoMetadata(env, options = []) {
  const result = spawnSync("cargo", ["metadata", "--format-version", "1", "--filter-platform", TARGET, ...options], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  if (result.status !== 0) throw new UserError(`cargo metadata failed: ${result.error?.message ?? result.stderr}`);
  return JSON.parse(result.stdout);
}

/**
 * Returns arguments of cargo that replace this machine's paths in the modules, where panics contain them, by
 * crates/NAME-VERSION and rust/. Our own sources have paths relative to the repository; remapping them too would rebuild
 * every crate in every clone.
 */
export function remapPaths({ packages }, env) {
  const folders = new Set(
    packages.filter(({ source }) => source).map(({ manifest_path }) => dirname(dirname(manifest_path))),
  );
  const sources = join(output("rustc", ["--print", "sysroot"], { env }) ?? "", "lib", "rustlib", "src", "rust");
  const replacements = [...[...folders].sort().map((folder) => [folder, "crates"]), [sources, "rust"]];
  const list = replacements.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  return ["--config", `target.${TARGET}.rustflags=${JSON.stringify(list)}`];
}

/** Whether the WebGPU module exists and is up to date. */
export const hasGpu = () => staleModules(["networks"], false, wasmToolchain()).length === 0;

/** Builds the modules. Resolves to whether anything changed. */
export async function buildWasm({ dev = false, gpu = true } = {}) {
  const env = { ...wasmToolchain(), ...(dev ? QUICK_RELEASE : {}) };
  if (!gpu) writePlaceholder();
  const outdated = staleModules(
    Object.keys(MODULES).filter((name) => gpu || name !== "networks"),
    dev,
    env,
  );
  if (outdated.length === 0) return false;
  const start = performance.now();
  const metadata = cargoMetadata(env);
  const remapArgs = remapPaths(metadata, env);
  const profileOf = ({ profile }) => (dev ? "release" : profile);
  const compile = async (module) => {
    const startTime = Date.now();
    const optimisation = dev ? ["--release", ...quickOptions(module.quickLevel)] : ["--profile", module.profile];
    const crate = ["--package", "kinestitch-wasm", "--no-default-features", "--features", module.features];
    await runAsync("cargo", ["rustc", ...crate, "--target", TARGET, ...optimisation, ...remapArgs], { env });
    // Only cargo knows its target folder (CARGO_TARGET_DIR, config files).
    const targetFolder = join(metadata.target_directory, TARGET, profileOf(module));
    const wasm = join(targetFolder, `${module.name}.module.wasm`);
    copyFileSync(join(targetFolder, "kinestitch_wasm.wasm"), wasm);
    const sources = sourcesOf(readFileSync(join(targetFolder, "kinestitch_wasm.d"), "utf8"));
    // If a file was edited or deleted during the build, the module is out of date at once.
    const editTime = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    const isEdited = [...COMMON_INPUTS, ...sources].some((path) => editTime(path) > startTime);
    return { ...module, wasm, sources, inputHash: isEdited ? null : hashInputs(sources, env) };
  };
  // Each profile has its own folder, so profiles compile in parallel, also with installations. Modules of one profile
  // share compiled dependencies and the output's name, so they compile in sequence.
  const profiles = [...new Set(outdated.map(profileOf))].map((profile) =>
    outdated.filter((module) => profileOf(module) === profile),
  );
  const compileInSequence = async (modules) => {
    const compiled = [];
    for (const module of modules) compiled.push(await compile(module));
    return compiled;
  };
  const compiling = Promise.all(profiles.map(compileInSequence));
  compiling.catch(() => {}); // reported below
  const tools = await wasmBindgenEnv();
  installPackages();
  const compiled = (await compiling).flat();
  makeFolder(OUT);
  await Promise.all(compiled.map((module) => bind(module, tools)));
  console.log(`pkg/wasm: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  return true;
}

await runScript(import.meta, (args) => buildWasm({ dev: args.includes("--dev"), gpu: !args.includes("--no-gpu") }));
