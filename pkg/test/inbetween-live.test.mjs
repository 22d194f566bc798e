// Default method of a live session of inbetween: follows the lengths of the gaps.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { inbetween, liveInbetween, load, loadNetworks } from "kinestitch";
import { writeDelta } from "./generated-networks.mjs";
import { failure, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-live-"));
after(() => rmSync(folder, { recursive: true }));

it("uses the default network only while it supports the lengths of all gaps, as inbetween does", async () => {
  writeDelta(folder);
  await loadNetworks({ for: "inbetween", models: folder });
  const clip = await load(walk({ frames: 60 }));
  const keys = [5, 30, 50].map((frame) => ({ clip, frame }));
  const methodsOf = ({ gaps }) => gaps.map(({ method }) => method);
  for (const initialFrames of [[24, 24], [24, 300], 30]) {
    const live = await liveInbetween(keys, { frames: initialFrames });
    const frames = typeof initialFrames === "number" ? [initialFrames, initialFrames] : [...initialFrames];
    const solvedMethods = () => {
      live.solve();
      return methodsOf(live.report());
    };
    assert.deepEqual(solvedMethods(), methodsOf(await inbetween(keys, { frames })));
    for (const count of [300, 240, 24, 241, 24]) {
      live.setFrames(1, count);
      frames[1] = count;
      const name = count > 240 ? "inertialize" : "delta";
      assert.deepEqual(solvedMethods(), [name, name], `${count} frames`);
      assert.deepEqual(methodsOf(await inbetween(keys, { frames })), [name, name]);
    }
    live.setMethod("linear");
    live.setFrames(1, 300);
    live.setFrames(1, 24);
    assert.deepEqual(solvedMethods(), ["linear", "linear"], "a named method stays");
    live.free();
  }
});

it("refuses wrong arrays and an aborted signal, and stays usable", async () => {
  const clip = await load(walk({ frames: 60 }));
  const keys = [5, 30].map((frame) => ({ clip, frame }));
  const live = await liveInbetween(keys, { method: "linear" });
  const frames = live.solve();
  for (const into of [undefined, [], new Float64Array(9)])
    for (const method of ["positions", "rotations"])
      assert.throws(() => live[method](into), { code: "option", option: "into" });
  assert.equal(live.positions(new Float32Array(frames * clip.info().joints.length * 3)), frames);
  live.free();
  assert.equal((await failure(() => liveInbetween(keys, { signal: AbortSignal.abort() }))).code, "aborted");
});
