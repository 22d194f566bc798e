// `init` of the package on the caller's thread and in the worker: a failing call changes no setting.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import * as entry from "kinestitch";
import * as worker from "kinestitch/worker";
import { root } from "./support.mjs";

const walk = readFileSync(join(root, "tests", "fixtures", "ada-walk.bvh"), "utf8");
const run = readFileSync(join(root, "tests", "fixtures", "ada-run.bvh"), "utf8");

for (const [name, { init, load, stitch }] of Object.entries({ kinestitch: entry, "kinestitch/worker": worker }))
  it(`${name}: a failing init beside a valid one leaves the settings of the valid one`, async () => {
    const failing = init({ wasm: "no-such-file.wasm", method: "crossfade" });
    const valid = init({ method: "lscore" });
    await assert.rejects(failing, { code: name === "kinestitch" ? "wasm" : /^(wasm|fetch)$/ });
    await valid;
    const motion = await stitch([await load(walk), await load(run)]);
    assert.equal(motion.seams[0].method, "lscore");
    await assert.rejects(init({ wasm: "no-such-file.wasm", method: "magic" }), { code: "option" });
    assert.equal((await stitch([await load(walk), await load(run)])).seams[0].method, "lscore");
    await init({ method: "auto" });
  });
