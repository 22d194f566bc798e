// The motion that the page shows before its module is loaded is the motion that `stitch` gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stitchDemo } from "../../scripts/demo-motion.mjs";
import { bundlePage } from "./page-bundle.mjs";

test("the prepared motion of the demo equals the stitched motion to half a millimetre", async () => {
  const { motion, data } = await stitchDemo();
  const { decodeDemo } = await bundlePage('export { decodeDemo } from "./www/modes/stitch/prepared-demo";');
  const prepared = decodeDemo(JSON.parse(JSON.stringify(data)));
  const { positions, ...info } = prepared.motion;
  const { name, frames, fps, joints, rig } = motion.info();
  assert.deepEqual(info, { name, frames, fps, joints, rig });
  const expected = motion.positions();
  assert.equal(positions.length, expected.length);
  const largest = positions.reduce((max, value, index) => Math.max(max, Math.abs(value - expected[index])), 0);
  assert.ok(largest <= 0.0005001, `${largest} m`);
  assert.deepEqual(
    prepared.contact.map((foot) => [...foot]),
    (await motion.curves()).contact.map((foot) => [...foot]),
  );
  assert.deepEqual(
    [prepared.segments.map(({ start }) => start), prepared.seams.map(({ frame }) => frame)],
    [motion.starts, motion.seams.map(({ frame }) => frame)],
  );
});
