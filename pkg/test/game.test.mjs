// examples/game, built by Vite, in Chromium: controlled by keys, its character changes clips without a jump.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, root, serve } from "./support.mjs";

const buildFolder = mkdtempSync(join(tmpdir(), "kinestitch-game-"));
after(() => rmSync(buildFolder, { recursive: true }));

const ROBOT = join(process.env.PACKS ?? join(root, "..", "shared", "data", "packs"), "RobotExpressive.glb");

before(() => {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  execFileSync(process.execPath, [vite, "build", "--outDir", buildFolder, "--emptyOutDir", "--logLevel", "error"], {
    cwd: join(root, "examples", "game"),
    stdio: "pipe",
  });
});

// Limits of the speed of a bone relative to the body, m/s. A jump of 20 cm per frame at 60 fps is 12 m/s. In the run, a
// hand of our own character moves at 7 m/s, one of the robot, which swings long arms, at 12.7 m/s.
for (const [name, query, limit] of [
  ["our own character", "", 12],
  ["RobotExpressive", "?pack=RobotExpressive.glb", 17],
])
  test(`in a small game, ${name} idles, walks, runs, waves and idles again without a jump`, {
    timeout: 300_000,
  }, async (t) => {
    if (query && !existsSync(ROBOT)) return t.skip(`${ROBOT} is not there`);
    if (query) copyFileSync(ROBOT, join(buildFolder, "RobotExpressive.glb"));
    const [server, browser] = [await serve({ "/": buildFolder }), await launch()];
    try {
      const page = await browser.newPage({ viewport: { width: 480, height: 300 } });
      const pageErrors = [];
      page.on("pageerror", ({ message }) => pageErrors.push(message));
      await page.goto(`${server.url}/${query}`);
      await page.locator("p[role=status]", { hasText: "Ready" }).waitFor({ timeout: 120_000 });
      // Records every frame of the game: movement of the bones, and transitions.
      await page.evaluate(() => {
        const { hero, THREE } = window.game;
        const bones = [];
        hero.model.traverse((node) => node.isBone && bones.push(node));
        const record = { frames: [], joins: [], ended: 0 };
        let previousPositions;
        const { update } = hero.transitions;
        hero.transitions.update = (seconds) => {
          const result = update.call(hero.transitions, seconds);
          hero.model.updateMatrixWorld(true);
          const positions = bones.map((bone) => hero.model.worldToLocal(bone.getWorldPosition(new THREE.Vector3())));
          if (previousPositions && seconds > 0)
            record.frames.push({
              seconds,
              speed:
                (hero.model.scale.x * Math.max(...positions.map((p, i) => p.distanceTo(previousPositions[i])))) /
                seconds,
            });
          previousPositions = positions;
          return result;
        };
        hero.transitions.addEventListener("started", ({ transition }) => record.joins.push(transition.join));
        hero.transitions.addEventListener("finished", () => record.ended++);
        window.record = record;
      });
      /** Waits for some seconds of game time. */
      const play = async (seconds) => {
        const start = await page.evaluate(() => window.record.frames.reduce((sum, frame) => sum + frame.seconds, 0));
        await page.waitForFunction(
          (until) => window.record.frames.reduce((sum, frame) => sum + frame.seconds, 0) > until,
          start + seconds,
          { timeout: 60_000 },
        );
      };
      const heroPosition = () => page.evaluate(() => window.game.hero.model.position.toArray());
      const first = await heroPosition();
      await page.keyboard.down("KeyW");
      await play(1.5);
      await page.keyboard.down("ShiftLeft");
      await play(1);
      await page.keyboard.down("Space");
      await play(0.5);
      await page.keyboard.up("Space");
      await page.keyboard.up("ShiftLeft");
      await page.keyboard.up("KeyW");
      await play(1.5);
      const last = await heroPosition();
      const { frames, joins, ended } = await page.evaluate(() => window.record);
      assert.deepEqual(pageErrors, []);
      assert.ok(last[2] - first[2] > 1.5, `from ${first} to ${last}`);
      assert.ok(joins.length >= 3 && ended >= 2, JSON.stringify({ joins, ended }));
      assert.match(await page.locator("p[role=status]").textContent(), /^Ready: [1-8] of 8 coins, idle$/);
      const fastest = Math.max(...frames.map(({ speed }) => speed));
      assert.ok(fastest < limit, `a bone moves at ${fastest.toFixed(1)} m/s`);
    } finally {
      await browser.close();
      await server.close();
    }
  });
