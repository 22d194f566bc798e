// For all tests: folders of the repository, generated walks and other motions (`walk`, `fixtures`, `recordings`), a
// static server (`serve`), headless Chromium (`launch`, `reportOf`), and the error of a call (`failure`).
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const packageFolder = fileURLToPath(new URL("..", import.meta.url));
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Reason to skip tests of trained networks; `false` if models/ has a refiner, as every set of weights does. */
export const noWeights =
  JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8")).networks.every(
    (network) => network.for !== "stitch",
  ) && "models/ holds no refiner";

const JOINTS = [
  // name, parent, offset in centimetres; a small biped with LAFAN1's names
  ["Hips", -1, [0, 92, 0]],
  ["LeftUpLeg", 0, [9, 0, 0]],
  ["LeftLeg", 1, [0, -42, 0]],
  ["LeftFoot", 2, [0, -42, 0]],
  ["LeftToe", 3, [0, -7, 14]],
  ["RightUpLeg", 0, [-9, 0, 0]],
  ["RightLeg", 5, [0, -42, 0]],
  ["RightFoot", 6, [0, -42, 0]],
  ["RightToe", 7, [0, -7, 14]],
  ["Spine", 0, [0, 10, 0]],
  ["Spine1", 9, [0, 12, 0]],
  ["Spine2", 10, [0, 12, 0]],
  ["Neck", 11, [0, 16, 0]],
  ["Head", 12, [0, 10, 0]],
  ["LeftShoulder", 11, [4, 12, 0]],
  ["LeftArm", 14, [14, 0, 0]],
  ["LeftForeArm", 15, [27, 0, 0]],
  ["LeftHand", 16, [25, 0, 0]],
  ["RightShoulder", 11, [-4, 12, 0]],
  ["RightArm", 18, [-14, 0, 0]],
  ["RightForeArm", 19, [-27, 0, 0]],
  ["RightHand", 20, [-25, 0, 0]],
];

export const jointNames = JOINTS.map(([name]) => name);

/** A walking figure of 22 joints as BVH text. */
export function walk({ frames = 60, fps = 30, speed = 1.2, rename = (name) => name } = {}) {
  const lines = ["HIERARCHY"];
  const node = (index, depth) => {
    const [name, parent, offset] = JOINTS[index];
    const pad = "\t".repeat(depth);
    const children = JOINTS.flatMap(([, parentIndex], child) => (parentIndex === index ? [child] : []));
    lines.push(
      `${pad}${parent < 0 ? "ROOT" : "JOINT"} ${rename(name)}`,
      `${pad}{`,
      `${pad}\tOFFSET ${offset.join(" ")}`,
    );
    const positions = parent < 0 ? "Xposition Yposition Zposition " : "";
    lines.push(`${pad}\tCHANNELS ${parent < 0 ? 6 : 3} ${positions}Zrotation Yrotation Xrotation`);
    for (const child of children) node(child, depth + 1);
    if (children.length === 0) lines.push(`${pad}\tEnd Site`, `${pad}\t{`, `${pad}\t\tOFFSET 0 0 5`, `${pad}\t}`);
    lines.push(`${pad}}`);
  };
  node(0, 0);
  lines.push("MOTION", `Frames: ${frames}`, `Frame Time: ${1 / fps}`);
  const swing = { LeftUpLeg: 25, RightUpLeg: -25, LeftArm: -20, RightArm: 20 };
  const order = [...depthFirst(0)];
  for (let frame = 0; frame < frames; frame++) {
    const phase = (frame / fps) * 2 * Math.PI;
    const row = [0, 92 + 2 * Math.cos(2 * phase), (frame / fps) * speed * 100];
    for (const name of order) {
      const knee = name === "LeftLeg" ? 0 : name === "RightLeg" ? Math.PI : undefined;
      const bend = knee === undefined ? 0 : 20 + 20 * Math.sin(phase + knee);
      row.push(0, 0, bend + (swing[name] ?? 0) * Math.sin(phase));
    }
    lines.push(row.map((value) => value.toFixed(6)).join(" "));
  }
  return `${lines.join("\n")}\n`;
}

function* depthFirst(index) {
  yield jointNames[index];
  for (let child = 0; child < JOINTS.length; child++) if (JOINTS[child][1] === index) yield* depthFirst(child);
}

/** Returns the values of some frames of a clip. `values`: of all its frames. */
export const framesOf = (values, clip, from, to) =>
  values.slice((from * values.length) / clip.frames, (to * values.length) / clip.frames);

/** BVH files of the repository, made by the gait generator. */
export function fixtures() {
  const folder = join(root, "tests", "fixtures");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".bvh"))
    .map((name) => join(folder, name));
}

/** Paths of real recordings, which are never part of the repository. Prints a line if there are none. */
export function recordings() {
  const dataFolders = [process.env.MOCAP_DATA, join(root, "..", "shared", "data")].filter(Boolean);
  const folder = dataFolders.map((path) => join(path, "samples")).find(existsSync);
  if (folder)
    return readdirSync(folder)
      .filter((name) => name.endsWith(".bvh"))
      .map((name) => join(folder, name));
  console.log("skipped: no samples/ in MOCAP_DATA or ../shared/data");
  return [];
}

const TYPES = {
  ".json": "application/json",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".css": "text/css",
};

/** Serves folders under URL prefixes: { "/": folder }. Missing files give 404. */
export async function serve(folders, headers = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const prefix = Object.keys(folders)
      .filter((key) => path.startsWith(key))
      .sort((a, b) => b.length - a.length)[0];
    let file = prefix && normalize(join(folders[prefix], path.slice(prefix.length)));
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end("not found");
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...headers });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Headless Chromium, from CHROME or its usual locations. */
export function launch() {
  const candidates = [process.env.CHROME, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("the browser tests need Chromium: set CHROME to its path");
  const { args } = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"))["goog:chromeOptions"];
  return chromium.launch({ executablePath, args: args.filter((arg) => !arg.startsWith("--headless")) });
}

/**
 * Opens a page, waits for `window.report` for at most `timeout` ms, and returns it. Throws on page errors and failed
 * requests.
 */
export async function reportOf(browser, url, timeout = 20_000) {
  const page = await browser.newPage();
  const pageErrors = [];
  const favicon = (address) => address.endsWith("favicon.ico");
  page.on("pageerror", (error) => pageErrors.push(error.message));
  page.on(
    "response",
    (response) =>
      response.status() >= 400 && !favicon(response.url()) && pageErrors.push(`${response.status()} ${response.url()}`),
  );
  page.on(
    "console",
    (message) => message.type() === "error" && !favicon(message.location().url) && pageErrors.push(message.text()),
  );
  try {
    await page.goto(url);
    await page
      .waitForFunction(() => window.report !== undefined, undefined, { timeout })
      .catch(() => {
        throw new Error(`${url} published no report: ${pageErrors.join("; ") || "no errors seen"}`);
      });
    const report = await page.evaluate(() => window.report);
    if (pageErrors.length > 0) throw new Error(`${url}: ${pageErrors.join("; ")}`);
    return report;
  } finally {
    await page.close();
  }
}

/** Returns the error of a rejected promise or of a function's call; throws if there is no error. */
export async function failure(work) {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}
