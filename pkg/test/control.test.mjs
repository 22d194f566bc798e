// createController and the controllers of kinestitch/worker, with generated networks.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createController, init, load, loadNetworks, networkModels } from "kinestitch";
import * as worker from "kinestitch/worker";
import { writeControllers } from "./generated-controllers.mjs";
import { root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-control-"));
after(() => rmSync(folder, { recursive: true }));
before(async () => {
  writeControllers(join(folder, "both"));
  writeControllers(join(folder, "dog"), ["dog"]);
  await init({ networks: { models: join(folder, "both") } });
});
const forward = { direction: [0, 1], speed: 1 };

describe("createController", () => {
  it("moves a body of its kind, synchronously, into the same arrays", async () => {
    for (const [character, joints, limbs] of [
      ["biped", 22, 2],
      ["dog", 25, 4],
    ]) {
      const controller = await createController({ character });
      assert.deepEqual(
        [controller.character, controller.set, controller.licence, controller.skeleton.length, controller.limbs.length],
        [character, "open", "for tests", joints, limbs],
      );
      assert.deepEqual([controller.styles, controller.actions, controller.fastest], [["normal", "old"], ["sit"], 3]);
      const { positions, rotations, phases, contacts, trajectory } = controller;
      const lengths = [positions, rotations, phases, contacts, trajectory].map(({ length }) => length);
      assert.deepEqual(lengths, [joints * 3, joints * 4, limbs * 2, controller.contactPoints.length, 52]);
      for (let frame = 0; frame < 120; frame++) await controller.step(forward, 1 / 60);
      assert.equal(controller.positions, positions);
      assert.ok([positions, rotations, phases, contacts, trajectory].every((values) => values.every(Number.isFinite)));
      // 60 frames of the network, two centimetres each.
      assert.ok(Math.abs(trajectory[6 * 4 + 1] - 1.2) < 0.3, `${trajectory[6 * 4 + 1]}`);
      controller.free();
    }
  });

  it("accepts any input and any time step", async () => {
    const controller = await createController({ character: "dog", at: { x: 2, z: -1, heading: 1 } });
    assert.ok(Math.hypot(controller.trajectory[24] - 2, controller.trajectory[25] + 1) < 1e-6);
    const positionsBefore = controller.positions.slice();
    await controller.step(forward, 0);
    assert.deepEqual(controller.positions, positionsBefore);
    const inputs = [
      { direction: [NaN, 1], speed: 100, facing: Infinity, style: "old" },
      { direction: [1e30, -1e30], speed: -5, style: "old", action: "sit" },
      { direction: [0, 0], speed: NaN },
      { direction: [1, 0], speed: 1, noise: Infinity, seed: -1 },
    ];
    for (const input of inputs) for (const seconds of [1 / 60, 2, NaN, -1]) await controller.step(input, seconds);
    assert.ok(controller.positions.every(Number.isFinite));
    await controller.place({ x: 0, z: 0, heading: 0 });
    assert.ok(Math.hypot(controller.trajectory[24], controller.trajectory[25]) < 1e-6);
    controller.free();
  });

  it("refuses malformed input, unknown styles and actions, and calls after free()", async () => {
    const controller = await createController();
    const wrongInputs = [
      [{}, "direction", /must be \[x, z\], two numbers, not undefined/],
      [undefined, "input", /a step needs \{ direction, speed \}/],
      [{ direction: "north", speed: 1 }, "direction", /not "north"/],
      [{ direction: [0, 1] }, "speed", /metres a second, not undefined/],
      [{ ...forward, style: "none such" }, "style", /one of normal, old, not "none such"/],
      [{ ...forward, action: "fly" }, "action", /must be one of sit, not "fly"/],
      [{ ...forward, facing: "left" }, "facing", /a number/],
      [{ ...forward, noise: {} }, "noise", /a number/],
    ];
    for (const [input, option, message] of wrongInputs)
      await assert.rejects(controller.step(input, 1 / 60), {
        name: "KinestitchError",
        code: "option",
        option,
        message,
      });
    await assert.rejects(controller.step(forward), { code: "option", option: "seconds" });
    await assert.rejects(controller.place({}), { code: "option", option: "at" });
    controller.free();
    controller.free();
    for (const use of [
      () => controller.step(forward, 1 / 60),
      () => controller.place({ x: 0, z: 0, heading: 0 }),
      () => controller.record(),
      () => controller.clip(),
    ]) {
      await assert.rejects(use, { name: "KinestitchError", code: "option", message: /this controller was freed/ });
    }
  });

  it("varies its motion by noise: equal seeds give equal motion, and noise 0 changes nothing", async () => {
    const walkBy = async (options, input = {}) => {
      const controller = await createController(options);
      for (let frame = 0; frame < 60; frame++) await controller.step({ ...forward, ...input }, 1 / 30);
      const { positions, varies } = controller;
      controller.free();
      return { positions, varies };
    };
    const [plain, same] = [await walkBy(), await walkBy({ noise: 0, seed: 9 })];
    assert.equal(plain.varies, true);
    assert.deepEqual(same.positions, plain.positions);
    const [first, repeated, otherSeed] = [
      await walkBy({ noise: 0.5, seed: 1 }),
      await walkBy({}, { noise: 0.5, seed: 1 }),
      await walkBy({ noise: 0.5, seed: 2 }),
    ];
    assert.deepEqual(repeated.positions, first.positions);
    assert.notDeepEqual(first.positions, plain.positions);
    assert.notDeepEqual(otherSeed.positions, first.positions);
    // The dog's weights have no generative control.
    const [dog, noisy] = [await walkBy({ character: "dog" }), await walkBy({ character: "dog", noise: 1 })];
    assert.equal(dog.varies, false);
    assert.deepEqual(noisy.positions, dog.positions);
    for (const options of [{ noise: 2 }, { noise: "much" }, { seed: 0.5 }])
      await assert.rejects(createController(options), { code: "option" });
  });

  it("stands on uneven ground, on this thread and in a worker, and refuses invalid ground", async () => {
    const ground = { x: -5, z: -5, spacing: 0.1, columns: 101, heights: new Float32Array(101 * 101).fill(1.5) };
    for (const create of [createController, worker.createController]) {
      const options = { character: "dog", models: join(folder, "both") };
      const level = await create(options);
      const controller = await create({ ...options, ground });
      for (const walker of [level, controller]) await walker.step(forward, 1 / 30);
      const hipsHeight = (walker) => walker.positions[1];
      assert.ok(
        Math.abs(hipsHeight(controller) - hipsHeight(level) - 1.5) < 0.01,
        `${hipsHeight(controller)}, ${hipsHeight(level)}`,
      );
      await controller.setGround(undefined);
      await controller.place({ x: 0, z: 0, heading: 0 });
      await level.place({ x: 0, z: 0, heading: 0 });
      assert.deepEqual(controller.positions, level.positions);
      for (const wrong of [
        null,
        {},
        { ...ground, heights: "high" },
        { ...ground, spacing: 0 },
        { ...ground, columns: 1 },
        { ...ground, columns: 100 },
        { ...ground, x: NaN },
        { ...ground, heights: ground.heights.map((height, i) => (i === 7 ? Infinity : height)) },
      ])
        await assert.rejects(async () => controller.setGround(wrong), { code: "option", message: /ground/ });
      await controller.step(forward, 1 / 30);
      for (const walker of [level, controller]) walker.free();
    }
  });

  it("records its motion as a clip", async () => {
    const controller = await createController({ character: "dog" });
    assert.equal(await controller.clip(), undefined);
    await controller.record();
    for (let frame = 0; frame < 60; frame++) await controller.step(forward, 1 / 60);
    const clip = await controller.clip();
    assert.deepEqual([clip.frames, Math.round(clip.fps), clip.name, clip.info().joints.length], [30, 30, "dog", 25]);
    assert.match(await clip.toBvh(), /^HIERARCHY/);
    assert.equal(await controller.clip(), undefined);
    controller.free();
  });

  it("moves the skeleton of a target clip, scaled by the length of its legs", async () => {
    const target = await load(readFileSync(join(root, "tests", "fixtures", "ada-walk.bvh")));
    const [controller, plain] = [
      await createController({ target, at: { x: 3, z: 1, heading: 0 } }),
      await createController(),
    ];
    const names = ({ joints }) => joints.map(({ name, parent }) => [name, parent]);
    assert.deepEqual(names({ joints: controller.skeleton }), names(target.info()));
    assert.deepEqual(
      [controller.positions.length, controller.rotations.length],
      [controller.skeleton.length * 3, controller.skeleton.length * 4],
    );
    assert.ok(controller.contactPoints.every((name) => controller.skeleton.some((joint) => joint.name === name)));
    const { scale } = controller;
    assert.ok(Math.abs(scale - controller.fastest / plain.fastest) < 1e-6 && plain.scale === 1);
    assert.ok(scale > 1.5, `the generated body has legs of ten centimetres: ${scale}`);
    await controller.record();
    for (let frame = 0; frame < 60; frame++) await controller.step(forward, 1 / 30);
    assert.ok(
      [controller.positions, controller.rotations, controller.trajectory].every((values) =>
        values.every(Number.isFinite),
      ),
    );
    // 60 frames of the network, two centimetres each, scaled by longer legs.
    assert.ok(Math.abs((controller.trajectory[25] - 1) / scale - 1.2) < 0.3, `${controller.trajectory[25]}`);
    const clip = await controller.clip();
    assert.deepEqual([names(clip.info()), clip.frames], [names(target.info()), 60]);
    assert.deepEqual(clip.info().rig, target.info().rig);
    controller.free();
    plain.free();
    for (const [options, code, message] of [
      [{ target, character: "dog" }, "rig", /four legs/],
      [{ target: await load(readFileSync(join(root, "tests", "fixtures", "cleo-walk.bvh"))) }, "rig", /legs/],
      [{ target: {} }, "option", /the target/],
    ]) {
      await assert.rejects(createController(options), (error) => error.code === code && message.test(error.message));
    }
  });

  it("moves a four-legged target skeleton as a dog", async () => {
    const target = await load(readFileSync(join(root, "tests", "fixtures", "cleo-walk.bvh")));
    assert.equal(target.info().kind, "quadruped");
    const controller = await createController({ character: "dog", target });
    assert.deepEqual(
      controller.skeleton.map(({ name }) => name),
      target.info().joints.map(({ name }) => name),
    );
    assert.deepEqual([...controller.contactPoints].sort(), ["ForePawL", "ForePawR", "HindPawL", "HindPawR"]);
    assert.ok(controller.scale > 1 && controller.scale < 2, `${controller.scale}`);
    await controller.record();
    for (let frame = 0; frame < 60; frame++) await controller.step(forward, 1 / 30);
    assert.ok([controller.positions, controller.rotations].every((values) => values.every(Number.isFinite)));
    const clip = await controller.clip();
    assert.deepEqual([clip.frames, clip.info().kind], [60, "quadruped"]);
    controller.free();
  });

  it("gives the same motion in its own worker as on this thread, also after the abort of another call", async () => {
    const text = readFileSync(join(root, "tests", "fixtures", "ada-walk.bvh"));
    await worker.init({ networks: { models: join(folder, "both") } });
    const target = await worker.load(text);
    const [controller, plain] = [
      await worker.createController({ target }),
      await createController({ target: await load(text) }),
    ];
    assert.deepEqual(
      [controller.skeleton, controller.styles, controller.scale, controller.varies, controller.contactPoints],
      [plain.skeleton, plain.styles, plain.scale, plain.varies, plain.contactPoints],
    );
    const { positions } = controller;
    await controller.record();
    const abort = new AbortController();
    const abortedStitch = worker.stitch([target, target], { signal: abort.signal });
    abort.abort();
    await assert.rejects(abortedStitch, { code: "aborted" });
    for (let frame = 0; frame < 40; frame++) {
      await controller.step(forward, 1 / 30);
      plain.step(forward, 1 / 30);
    }
    assert.equal(controller.positions, positions);
    assert.deepEqual(
      [controller.positions, controller.rotations, controller.trajectory],
      [plain.positions, plain.rotations, plain.trajectory],
    );
    const clip = await controller.clip();
    assert.equal(clip.frames, 40);
    assert.equal(await controller.clip(), undefined);
    const joined = await worker.stitch([clip, target]);
    assert.ok(joined.frames > 40);
    controller.free();
    const freed = { code: "option", option: "controller", message: /this controller was freed/ };
    await assert.rejects(controller.step(forward, 0.1), freed);
    plain.free();
    await assert.rejects(worker.createController({ character: "cat" }), { code: "option" });
  });

  it("stays usable in its worker after a wrong argument", async () => {
    await worker.init({ networks: { models: join(folder, "both") } });
    const controller = await worker.createController();
    await controller.step(forward, 1 / 30);
    const positionsBefore = controller.positions.slice();
    for (const wrong of [{}, null, { ...forward, style: "none such" }])
      await assert.rejects(async () => controller.step(wrong, 1 / 30), { name: "KinestitchError", code: "option" });
    const throwingDirection = {
      get 0() {
        throw new Error("thrown by the test");
      },
    };
    await assert.rejects(async () => controller.step({ direction: throwingDirection, speed: 1 }, 1 / 30), {
      message: "thrown by the test",
    });
    await assert.rejects(controller.step(forward, "soon"), { code: "option" });
    await assert.rejects(controller.place({ x: "here" }), { code: "option" });
    await controller.step(forward, 0);
    assert.deepEqual(controller.positions, positionsBefore);
    const abort = new AbortController();
    const [other, aborted] = [worker.createController(), worker.createController({ signal: abort.signal })];
    abort.abort();
    await assert.rejects(aborted, { code: "aborted" });
    await controller.step(forward, 1 / 30);
    (await other).free();
    await controller.step(forward, 1 / 30);
    controller.free();
  });

  it("uses few threads for many controllers in workers, and ends the threads", {
    skip: !existsSync("/proc/self/task") && "threads are counted in Linux's /proc",
    timeout: 120_000,
  }, async () => {
    await worker.init({ networks: { models: join(folder, "both") } });
    const threads = () => readdirSync("/proc/self/task").length;
    const until = async (done) => {
      for (const start = performance.now(); !done() && performance.now() - start < 60_000; await sleep(50))
        globalThis.gc?.();
      assert.ok(done(), `${threads()} threads`);
    };
    // Each thread of the package comes with one or two of Node's own.
    const [initialThreads, maxAdded] = [threads(), 4 * 3];
    let controllers = [];
    for (let count = 0; count < 40; count++) controllers.push(await worker.createController({ character: "dog" }));
    assert.ok(threads() <= initialThreads + maxAdded, `${initialThreads} → ${threads()} threads`);
    await Promise.all(controllers.map((controller) => controller.step(forward, 1 / 30)));
    assert.ok(controllers.every((controller) => controller.positions.every(Number.isFinite)));
    controllers.forEach((controller) => controller.free());
    await until(() => threads() <= initialThreads);
    if (!globalThis.gc) return;
    controllers = await Promise.all(Array.from({ length: 40 }, () => worker.createController()));
    assert.ok(threads() > initialThreads);
    controllers = [];
    await until(() => threads() <= initialThreads);
  });

  it("moves characters independently, and a thousand of them leak no memory", async () => {
    const [one, two] = [await createController(), await createController()];
    for (let frame = 0; frame < 30; frame++) one.step(forward, 1 / 30);
    two.step({ direction: [0, 0], speed: 0 }, 0);
    assert.ok(Math.abs(two.trajectory[25]) < 1e-6 && one.trajectory[25] > 0.3);
    one.free();
    two.free();
    const use = async (count) => {
      for (let index = 0; index < count; index++) {
        const controller = await createController({ character: "dog" });
        await controller.step(forward, 0.1);
        controller.free();
      }
      return process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    };
    const settledBytes = await use(200);
    assert.ok((await use(1000)) < settledBytes + 8e6);
  });

  it("rejects wrong options and missing weights", async () => {
    for (const [options, code, message] of [
      [{ character: "cat" }, "option", /character/],
      [{ at: { x: 1, z: NaN, heading: 0 } }, "option", /at must be/],
      [{ set: "research" }, "option", /no set "research"/],
    ]) {
      await assert.rejects(createController(options), (error) => error.code === code && message.test(error.message));
    }
    await assert.rejects(loadNetworks({ for: "control" }), /createController/);
    await assert.rejects(
      createController({ device: "webgpu" }),
      (error) => error.code === "device" && /runs on the CPU/.test(error.message),
    );
    await assert.rejects(createController({ models: join(folder, "nowhere") }), (error) => error.code === "weights");
    const dog = await createController({ character: "dog", models: join(folder, "dog"), device: "auto" });
    dog.free();
    const models = await networkModels({ for: "control" });
    assert.deepEqual(
      models.map(({ character }) => character),
      ["biped", "dog"],
    );
    await init({ networks: { models: join(folder, "dog") } });
    await assert.rejects(createController({ character: "biped" }), (error) => error.code === "weights");
  });
});
