// VRM Animation: a motion is exported for VRM avatars, read by three-vrm, and opened again; avatars open too.
import { expect, type Page, test } from "./test";
import { avatarFile, readAnimation, VRM_BONES } from "../../pkg/test/avatars.mjs";
import {
  blockNames,
  dropBytes,
  dropFixtures,
  exportFile,
  frames,
  open,
  openExportDialog,
  pause,
  waitForResult,
  exportDialog,
} from "./page";

async function openWith(page: Page, fixture: string): Promise<void> {
  await open(page);
  await dropFixtures(page, fixture);
  await pause(page);
}

test("a dropped BVH is exported as VRMA, which three-vrm reads and the page opens", async ({ page }) => {
  await openWith(page, "ada-walk");
  const length = await frames(page);
  await openExportDialog(page);
  await exportDialog(page).getByLabel("Format").selectOption("vrma");
  const { name, bytes } = await exportFile(page, () =>
    exportDialog(page).getByRole("button", { name: "Export", exact: true }).click(),
  );
  expect(name).toBe("ada-walk.vrma");

  const { humanoidTracks, duration } = await readAnimation(new Uint8Array(bytes));
  expect([...humanoidTracks.rotation.keys()]).toEqual(expect.arrayContaining(Object.values(VRM_BONES)));
  const hips = humanoidTracks.translation.get("hips");
  expect(hips.times).toHaveLength(length);
  expect(duration).toBeCloseTo((length - 1) / 30, 3);
  // The hips travel more than 3 m over the ground.
  const [x0, , z0, x1, , z1] = [...hips.values.slice(0, 3), ...hips.values.slice(-3)] as number[];
  expect(Math.hypot(x1 - x0, z1 - z0)).toBeGreaterThan(3);

  await dropBytes(page, "again.vrma", bytes);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "again"]);
  await waitForResult(page, 1);
});

test("a dropped VRM avatar replaces the figure; the motion can still be exported as VRMA", async ({ page }) => {
  await openWith(page, "ada-walk");
  await dropBytes(page, "avatar.vrm", await avatarFile(1));
  await expect(page.getByText("avatar.vrm is now the character.")).toBeVisible();
  await openExportDialog(page);
  await expect(exportDialog(page).getByLabel("Format").locator("option")).toHaveText([
    "BVH",
    "GLB, on avatar",
    "FBX, on avatar",
    "VRMA, for VRM avatars",
  ]);
  await exportDialog(page).getByLabel("Format").selectOption("vrma");
  const { bytes } = await exportFile(page, () =>
    exportDialog(page).getByRole("button", { name: "Export", exact: true }).click(),
  );
  expect((await readAnimation(new Uint8Array(bytes))).humanoidTracks.rotation.size).toBeGreaterThan(15);
});

test("a dog's motion cannot be exported as VRMA", async ({ page }) => {
  await openWith(page, "cleo-trot");
  await openExportDialog(page);
  await expect(exportDialog(page).getByLabel("Format").locator("option")).toHaveText(["BVH", "GLB", "FBX"]);
});
