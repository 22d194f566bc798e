// A user's character: it replaces the figure, moves with the motion, and is exported with it.
import { expect, test, type Page } from "./test";
import { load } from "kinestitch";
import { toAnimationClip } from "kinestitch/three";
import { character, fbxOf, glbOf } from "../../pkg/test/rigs.mjs";
import {
  blockNames,
  dropBytes,
  exportFile,
  open,
  pause,
  pixelsOfHue,
  waitForResult,
  hasController,
  textOf,
} from "./page";

const jsonOf = (glb: Buffer) => JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)).toString());
const panel = (page: Page) => page.locator("#panel-character");

/** Takes a screenshot of the middle of the view. */
const screenshotOf = (page: Page) => page.screenshot({ clip: { x: 450, y: 100, width: 400, height: 380 } });

test("a character replaces the figure, is mapped, and is exported with the motion", async ({ page }) => {
  test.slow();
  const scripts: string[] = [];
  await open(page);
  await pause(page);
  page.on("request", (request) => void (request.url().endsWith(".js") && scripts.push(request.url())));
  const initialScreenshot = await screenshotOf(page);
  await dropBytes(page, "hero.glb", await glbOf(character("mixamo").model));
  await expect(page.locator(".notice")).toContainText("hero.glb is now the character");
  await expect(panel(page)).toContainText("22 of 22 parts");
  // Loaders are fetched with the first file that needs them.
  expect(scripts.length).toBeGreaterThan(0);
  await expect.poll(async () => (await screenshotOf(page)).equals(initialScreenshot)).toBe(false);

  const { name, bytes } = await exportFile(page, () => page.getByRole("button", { name: "GLB", exact: true }).click());
  expect(name).toMatch(/\.glb$/);
  const json = jsonOf(bytes);
  expect(json.meshes).toHaveLength(1);
  expect(json.materials[0].pbrMetallicRoughness.baseColorFactor[0]).toBeGreaterThan(0.2);
  expect(json.animations).toHaveLength(1);
  expect(json.animations[0].channels.length).toBeGreaterThan(22);

  // The mapping can be corrected, and bones without a mapping are listed.
  await panel(page).getByText("Bones of hero").click();
  const thigh = panel(page).getByLabel("Thigh").first();
  await thigh.selectOption("");
  await expect(panel(page).getByRole("alert")).toContainText(/hips and both legs/);
  await panel(page).getByRole("button", { name: "Restore the inferred mapping" }).click();
  await expect(panel(page).getByRole("alert")).toHaveCount(0);

  await panel(page).getByRole("button", { name: "Remove the character" }).click();
  const plain = await exportFile(page, () => page.getByRole("button", { name: "GLB", exact: true }).click());
  expect(jsonOf(plain.bytes).meshes[0].name).toBe("Bones");
});

test("a glTF character with embedded buffers opens under the page's security policy", async ({ page }) => {
  const glb = Buffer.from(await glbOf(character("mixamo").model));
  const start = 20 + glb.readUInt32LE(12) + 8;
  const json = jsonOf(glb);
  const numbers = glb.subarray(start, start + json.buffers[0].byteLength).toString("base64");
  json.buffers[0].uri = `data:application/octet-stream;base64,${numbers}`;
  await open(page);
  await pause(page);
  await dropBytes(page, "hero.gltf", Buffer.from(JSON.stringify(json)));
  // The page packs a glTF document into a GLB; the notice has the name of the GLB.
  await expect(page.locator(".notice")).toContainText("hero.glb is now the character");
  await expect(panel(page)).toContainText("22 of 22 parts");
});

test("a character is steered", async ({ page }) => {
  test.skip(!hasController, "models/ holds no controller");
  await open(page);
  await pause(page);
  await dropBytes(page, "hero.glb", await glbOf(character("mixamo").model));
  await expect(page.locator(".notice")).toContainText("hero.glb is now the character");
  await page.getByRole("button", { name: "Control", exact: true }).click();
  await expect(page.getByRole("button", { name: "Record" })).toBeEnabled({ timeout: 60_000 });
  const body = page.getByLabel("Body", { exact: true });
  await expect(body.locator("option:checked")).toHaveText("hero");
  // The character of pkg/test/rigs.mjs is red.
  const redPixels = () => pixelsOfHue(page, "#b0584f");
  await expect.poll(redPixels).toBeGreaterThan(500);
  await page.keyboard.press("r");
  await page.keyboard.down("w");
  await expect(page.getByRole("button", { name: /^Stop, ([3-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
  await page.keyboard.up("w");
  await page.keyboard.press("r");
  const { bytes } = await exportFile(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  const clip = await load(bytes);
  const { joints } = clip.info();
  expect(joints.map(({ name }) => name)).toContain("mixamorigHips");
  const positions = clip.positions();
  const end = (clip.frames - 1) * joints.length * 3;
  expect(
    Math.hypot((positions[end] ?? NaN) - (positions[0] ?? NaN), (positions[end + 2] ?? NaN) - (positions[2] ?? NaN)),
  ).toBeGreaterThan(0.5);
  await body.selectOption({ label: "its own" });
  await expect.poll(redPixels).toBeLessThan(100);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an FBX character is exported as a GLB", async ({ page }) => {
  await open(page);
  await dropBytes(page, "hero.fbx", new TextEncoder().encode(fbxOf(character("mixamo"))));
  await expect(panel(page)).toContainText("22 of 22 parts");
  const { bytes } = await exportFile(page, () => page.getByRole("button", { name: "GLB", exact: true }).click());
  const json = jsonOf(bytes);
  expect(json.skins[0].joints).toHaveLength(22);
  expect(json.animations).toHaveLength(1);
  // The file's lengths are in centimetres.
  expect(json.nodes.filter((node: { scale?: number[] }) => node.scale?.every((part) => part === 0.01))).toHaveLength(1);
});

test("animations of an FBX character become clips", async ({ page }) => {
  await open(page);
  const fbx = fbxOf(character("mixamo"), ["sway", "sway", "lean"]);
  await dropBytes(page, "hero.fbx", new TextEncoder().encode(fbx));
  await expect(panel(page)).toContainText("22 of 22 parts");
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("hero.fbx also contains 3 animations");
  await question.getByRole("button", { name: "Add 3 as clips" }).click();
  await expect.poll(() => blockNames(page)).toHaveLength(3);
  await expect(page.locator("#panel-clips, aside").first()).toContainText("31 frames");
  await waitForResult(page, 2);
  await page.screenshot({ path: test.info().outputPath("fbx-clips.png") });
});

test("an FBX polygon that takes too long is rejected, and the page responds in the meantime", async ({ page }) => {
  // The test itself ends the page's wait of 20 seconds, once the page has responded: until then, the worker keeps the
  // processor busy.
  await page.addInitScript(() => {
    const startTimer = window.setTimeout.bind(window) as (run: () => void, ms?: number) => number;
    const setTimeout = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): number => {
      if (ms === 20_000) Object.assign(window, { endWait: () => run(...args) });
      return startTimer(() => run(...args), ms);
    };
    Object.assign(window, { setTimeout });
  });
  await open(page);
  // Triangulating a polygon of random corners takes minutes.
  const corners = 150_000;
  let random = 1;
  const next = () => (random = (random * 48_271) % 2_147_483_647) % 10_007;
  const vertices = Array.from({ length: corners }, () => `${next()},${next()},0`).join(",");
  const polygon = [...Array(corners - 1).keys(), -corners].join(",");
  const numbers = (name: string, count: number, text: string) => `\t\t${name}: *${count} {\n\t\t\ta: ${text}\n\t\t}\n`;
  const geometry = numbers("Vertices", corners * 3, vertices) + numbers("PolygonVertexIndex", corners, polygon);
  const fbx = [
    "; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7300\n}\n",
    `Objects:  {\n\tGeometry: 1, "Geometry::Body", "Mesh" {\n${geometry}\t}\n`,
    '\tModel: 2, "Model::Body", "Mesh" {\n\t\tVersion: 232\n\t}\n}\n',
    'Connections:  {\n\tC: "OO",2,0\n\tC: "OO",1,2\n}\n',
  ].join("");
  await dropBytes(page, "blot.fbx", new TextEncoder().encode(fbx));
  await page.locator("button.mode", { hasText: "In-between" }).click();
  await expect(page.locator("button.mode", { hasText: "In-between" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator("main.stage")).toHaveAttribute("data-state", "settled");
  const countFbxWorkers = (): number => page.workers().filter((worker) => /fbx/.test(worker.url())).length;
  await expect.poll(countFbxWorkers).toBe(1);
  await expect(page.locator(".notice.error")).toHaveCount(0);
  await page.evaluate(() => (window as unknown as { endWait(): void }).endWait());
  await expect(page.locator(".notice.error")).toContainText("It takes longer than 20 s");
  await expect.poll(countFbxWorkers).toBe(0);
});

test("files that are not characters are reported in a sentence, and nothing is lost", async ({ page }) => {
  await open(page);
  await dropBytes(page, "hero.glb", await glbOf(character("vrm").model));
  await expect(panel(page)).toContainText("22 of 22 parts");
  for (const [name, bytes] of [
    ["broken.glb", new Uint8Array([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 9])],
    ["text.fbx", new TextEncoder().encode("no model at all")],
    ["noskin.glb", await glbOf(Object.assign(character("vrm").mesh.clone(), { isSkinnedMesh: false, type: "Mesh" }))],
  ] as const) {
    await dropBytes(page, name, bytes);
    await expect(page.locator(".notice.error")).toContainText(name);
    await expect(panel(page)).toContainText("22 of 22 parts");
  }
  await waitForResult(page, 2);
});

test("animations of a GLB become clips; exports of Kinestitch become clips, not characters", async ({ page }) => {
  await open(page);
  const { bytes } = await exportFile(page, () => page.getByRole("button", { name: "GLB", exact: true }).click());
  await dropBytes(page, "mine.glb", bytes);
  await expect.poll(() => blockNames(page)).toHaveLength(1);
  await expect(panel(page)).toContainText("Drop a character");
  await dropBytes(page, "ada-run.bvh", new TextEncoder().encode(textOf("ada-run")));
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toHaveLength(2);
});

test("a character's animations are offered, and added after a click", async ({ page }) => {
  await open(page);
  const { model } = character("mixamo");
  const moves = await Promise.all(
    ["ada-walk", "ada-run"].map(async (name) => toAnimationClip(await load(textOf(name)), model, { name })),
  );
  await dropBytes(page, "hero.glb", await glbOf(model, moves));
  await expect(panel(page)).toContainText("22 of 22 parts");
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("hero.glb also contains 2 animations");
  await expect.poll(() => blockNames(page)).toHaveLength(3); // the demo
  await page.screenshot({ path: test.info().outputPath("offer.png") });
  await question.getByRole("button", { name: "Add 2 as clips" }).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
  await expect(question).toHaveCount(0);
});
test("the animations of a large file are listed, searched and added", async ({ page }) => {
  await open(page);
  const { model } = character("mixamo");
  const walk = await load(textOf("ada-walk"));
  const names = Array.from({ length: 12 }, (_, i) => (i < 9 ? `walk ${i + 1}` : `jump ${i + 1}`));
  const moves = await Promise.all(names.map((name) => toAnimationClip(walk, model, { name })));
  await dropBytes(page, "pack.glb", await glbOf(model, moves));
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("pack.glb also contains 12 animations");
  await question.getByRole("button", { name: "Choose animations…" }).click();
  const dialog = page.getByRole("dialog", { name: "Animations of pack.glb" });
  await expect(dialog.getByRole("checkbox")).toHaveCount(12);
  await expect(dialog).toContainText("4.3 s");
  // The small figures are drawn.
  const isDrawn = (canvas: HTMLCanvasElement): boolean =>
    canvas.width > 0 &&
    (canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean) ?? false);
  await expect.poll(() => dialog.locator("canvas").first().evaluate(isDrawn)).toBe(true);
  await page.screenshot({ path: test.info().outputPath("animations.png") });
  await dialog.getByRole("searchbox").fill("jump");
  await expect(dialog.getByRole("checkbox")).toHaveCount(3);
  await dialog.getByRole("checkbox", { name: /jump 11/ }).check();
  await dialog.getByRole("button", { name: "Add 1 clip" }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => blockNames(page)).toEqual(["jump 11"]);
});
