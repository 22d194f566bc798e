// `npm test`: sets up and runs all tests. It continues after a failure, and ends with a summary of each part.
//
//     npm test                        all tests: page, rust, research, browser, package
//     npm test -- rust page           some of them
//     npm run lint                    checks format, lints, Rust documentation, licences and known vulnerabilities (the
//                                     parts lint and audit)
//     npm test -- quick               under two minutes, for daily work: checks format, lints, layers and types, and runs
//                                     tests of the package in Node. It builds no WebAssembly: after changes in Rust, also run
//                                     cargo test --release -p native-tests NAME::
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, constants, setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildWasm, cargoMetadata, QUICK_RELEASE, quickOptions, releaseOptions, remapPaths } from "./build-wasm.mjs";
import { build } from "./build.mjs";
import { browserEnv } from "./chrome.mjs";
import { installPackages } from "./packages.mjs";
import { makeFolder, root, runScript, UserError } from "./shell.mjs";
import { wasmToolchain } from "./toolchain.mjs";
import { wasmPackEnv } from "./tools.mjs";

/** Matches lines in which cargo, wasm-bindgen's runner, node --test and Playwright summarise results and failures. */
const SUMMARY =
  /^\s*(test result: .*|[#ℹ] (tests|pass|fail|skipped) \d+|\d+ (passed|failed|skipped|flaky).*|error(\[\w+\])?: .*|[✘✖] .*|not ok .*|test .* FAILED|\d+\) .*\.spec\.ts.*|Error: .*)$/;
/** Matches checks of the audit that were skipped, with the reason. */
const SKIPPED = /^skipped /;
/** Matches the line that cargo prints for a binary without tests. */
const EMPTY = /ok\. 0 passed; 0 failed; 0 ignored/;
const COLOUR = /\x1b\[[0-9;]*m/g;

/** Runs a command with visible output. Resolves to whether it succeeded, and its summary lines. */
function runTest(command, args, env = {}) {
  console.log(`\n$ ${[command, ...args].join(" ")}`);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const summary = [];
    for (const [input, output] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      input.on("data", (bytes) => output.write(bytes));
      createInterface({ input }).on("line", (text) => {
        const line = text.replace(COLOUR, "");
        if ((SUMMARY.test(line) || SKIPPED.test(line)) && !EMPTY.test(line)) summary.push(line);
      });
    }
    child.on("error", (error) => reject(new UserError(`${command}: ${error.message}`)));
    child.on("close", (code) => resolve({ ok: code === 0, summary }));
  });
}

const playwright = join(root, "node_modules", ".bin", "playwright");

/**
 * Arguments of cargo for tests. They use the release profile, to share compiled macros with the wasm modules. Only crates
 * that compute much are optimised: so the tests take 240 processor seconds less to compile, and 60 more to run.
 * `training` at level 1 compiles in half of the time; at level 0, its tests would take ten times as long.
 */
const PROFILE = releaseOptions([
  "opt-level=0",
  ...["kinestitch", "gemm", "gemm-common", "gemm-f32", "pulp", "chacha20", "rand", "rand_core"].map(
    (crate) => `package.${crate}.opt-level=3`,
  ),
  "package.training.opt-level=1",
  ...["kinestitch", "training", "lab"].flatMap((crate) => [
    `package.${crate}.debug-assertions=true`,
    `package.${crate}.overflow-checks=true`,
  ]),
]);

/** Crates that are tested by the part "research". */
const RESEARCH = ["training", "lab"];
const rustTests = [
  ...["test", "--workspace", ...RESEARCH.flatMap((crate) => ["--exclude", crate])],
  ...["--release", ...PROFILE],
];
const researchTests = ["test", ...RESEARCH.flatMap((crate) => ["-p", crate]), "--release", ...PROFILE];

/** Returns the command that runs a script of this folder. */
const script = (name, ...args) => [process.execPath, [join(root, "scripts", `${name}.mjs`), ...args]];

/** Settles when all commands of `prepare` have ended. */
let preparing = Promise.resolve();

/**
 * Runs commands for later parts in sequence and with low priority, beside the current part. That part ends only when
 * they have ended too.
 * Ignores failures: the later part repeats the failed command and reports it. Each command may have variables of the
 * environment.
 */
function prepare(commands) {
  preparing = preparing.then(async () => {
    for (const [command, args, env] of commands) {
      const child = spawn(command, args, { cwd: root, stdio: "ignore", env: { ...process.env, ...env } });
      if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
      await new Promise((resolve) => child.on("error", resolve).on("close", resolve));
    }
  });
}

/** Tests of the package that need no browser and little time. */
const QUICK_TESTS = [
  ...[
    "api",
    "comments",
    "controller-host",
    "fbx",
    "glb",
    "gltf",
    "inbetween",
    "lscore",
    "page-autosave",
    "page-control",
    "page-curves",
    "page-cuts",
    "page-inputs",
    "page-logic",
    "page-networks",
    "page-player",
    "page-stitcher",
    "page-viewer",
    "page-work",
    "pattern",
    "phases",
  ],
  ...["results", "shell", "stitch-gap", "three", "transitions", "types", "vrm", "worker-link"],
].map((name) => join("pkg", "test", `${name}.test.mjs`));

/** The parts of `npm test`, in order. */
const TESTS = ["page", "rust", "research", "browser", "package"];

/** All parts: their setup and commands. A command has arguments and variables of the environment. */
const PARTS = {
  lint() {
    installPackages();
    return [
      [join(root, "node_modules", ".bin", "biome"), ["ci", "--error-on-warnings"]],
      ["cargo", ["fmt", "--all", "--check"]],
      // --release: shares macros and build scripts of dependencies with the tests.
      ["cargo", ["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"]],
      ["cargo", ["doc", "--workspace", "--no-deps", "--release"], { RUSTDOCFLAGS: "-D warnings" }],
    ];
  },
  async page(laterParts) {
    const forLater = (commands) =>
      Object.entries(commands).flatMap(([part, list]) => (laterParts.includes(part) ? list : []));
    prepare(forLater({ browser: [script("tools", "wasm-pack")] }));
    await buildWasm({ dev: true, gpu: false });
    // Not before: cargo locks its target folder while it compiles.
    prepare(
      forLater({
        rust: [["cargo", [...rustTests, "--no-run"]]],
        research: [["cargo", [...researchTests, "--no-run"]]],
      }),
    );
    await build({ dev: true, gpu: false });
    // Not before: it replaces files that build() reads.
    prepare(forLater({ package: [script("build-wasm", "--dev")] }));
    return [
      [join(root, "node_modules", ".bin", "tsc"), ["-p", join("tests", "e2e")]],
      [playwright, ["test"], browserEnv()],
    ];
  },
  rust: () => [["cargo", [...rustTests, "--no-fail-fast"]]],
  research: () => [["cargo", [...researchTests, "--no-fail-fast"]]],
  audit: () => [script("audit")],
  async browser() {
    const { CHROME, CHROMEDRIVER } = browserEnv();
    // Without `binary`, ChromeDriver starts another browser than CHROME if several are installed.
    const capabilities = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"));
    capabilities["goog:chromeOptions"].binary = CHROME;
    const capabilitiesPath = join(makeFolder(join(root, "target")), "webdriver.json");
    writeFileSync(capabilitiesPath, JSON.stringify(capabilities));
    const tools = { ...(await wasmPackEnv()), ...wasmToolchain() };
    const env = { ...tools, WASM_BINDGEN_TEST_WEBDRIVER_JSON: capabilitiesPath };
    const options = ["--headless", "--chrome", "--chromedriver", CHROMEDRIVER, "--release"];
    // The same options of cargo as in `build --dev`, to share most compiled crates. The tests compute little.
    const cargoOptions = [...quickOptions(0), ...remapPaths(cargoMetadata(env), env)];
    return [["wasm-pack", ["test", ...options, join("tests", "browser"), ...cargoOptions], env]];
  },
  quick() {
    installPackages();
    if (!existsSync(join(root, "pkg", "wasm", "kinestitch_bg.wasm")))
      throw new UserError("pkg/wasm has no modules for the tests (kinestitch_bg.wasm is missing): run npm start once");
    const binary = join(makeFolder(join(root, "target", "quick")), "layering");
    const layering = ["--edition", "2024", "--test", join("tests", "native", "layering.rs"), "-o", binary];
    const bin = (name) => join(root, "node_modules", ".bin", name);
    return [
      [bin("biome"), ["ci", "--error-on-warnings"]],
      ["cargo", ["fmt", "--check"]],
      // A test of source texts: needs no crate, and so no cargo.
      ["rustc", layering, { CARGO_MANIFEST_DIR: root }],
      [binary, ["--quiet"]],
      ["npm", ["run", "build", "-w", "pkg", "-w", "player", "--silent"]],
      [bin("tsc"), ["-p", "www"]],
      [process.execPath, ["--expose-gc", "--test", ...QUICK_TESTS]],
    ];
  },
  async package() {
    // One test reads the site if there is one; "page" builds it.
    await build({ dev: true, site: false });
    // By default, Node leaves one core idle; most of these tests use one core at a time.
    const concurrency = `--test-concurrency=${availableParallelism()}`;
    const tests = readdirSync(join(root, "pkg", "test")).filter((name) => name.endsWith(".test.mjs"));
    const paths = tests.map((name) => join("pkg", "test", name));
    return [[process.execPath, ["--expose-gc", "--test", concurrency, ...paths], browserEnv()]];
  },
};

await runScript(import.meta, async (partNames) => {
  Object.assign(process.env, QUICK_RELEASE);
  const unknown = partNames.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown) throw new UserError(`there is no part "${unknown}"; the parts are ${Object.keys(PARTS).join(", ")}`);
  const results = [];
  const parts = partNames.length ? partNames : TESTS;
  for (const [index, part] of parts.entries()) {
    const started = performance.now();
    const result = { part, ok: true, summary: [] };
    try {
      for (const [command, args, env] of await PARTS[part](parts.slice(index + 1))) {
        const { ok, summary } = await runTest(command, args, env);
        result.summary.push(...summary);
        if (!ok) {
          result.ok = false;
          result.summary.push(`${[command, ...args].join(" ")} failed`);
        }
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      result.ok = false;
      result.summary.push(error.message);
    }
    await preparing;
    results.push({ ...result, seconds: Math.round((performance.now() - started) / 1000) });
  }
  console.log("\n");
  for (const { part, ok, summary, seconds } of results) {
    console.log(`${ok ? "ok    " : "FAILED"} ${part} (${seconds} s)`);
    for (const line of summary) console.log(`         ${line.trim()}`);
  }
  if (results.some(({ ok }) => !ok)) process.exit(1);
});
