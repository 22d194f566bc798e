// FBX files as the page's worker converts them to GLB: the unit of lengths, and embedded pictures.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import { AnimationMixer, Vector3 } from "three";
import { character, FileReader, fbxOf, loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

// The worker runs on this thread, with functions in place of a worker's messages.
let send;
let receive;
Object.assign(globalThis, {
  FileReader,
  addEventListener: (_, listener) => (send = (bytes) => listener({ data: bytes })),
  postMessage: (answer) => receive(answer),
});
const { outputFiles } = await build({
  entryPoints: [join(root, "www", "viewer", "fbx-worker.ts")],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
  logLevel: "error",
});
await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

/** Converts the FBX file of a character, with an animation of one second. `options`: those of `fbxOf`. */
async function convert(options) {
  const bytes = new TextEncoder().encode(fbxOf(character("mixamo"), ["sway"], options));
  const answer = await new Promise((resolve) => {
    receive = resolve;
    send(bytes.buffer);
  });
  assert.equal(answer.error, undefined);
  return answer;
}

/** Returns the position of the head in the middle of the animation. */
async function headOf(glb) {
  const { scene, animations } = await loadGlb(new Uint8Array(glb));
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  mixer.setTime(0.5);
  scene.updateMatrixWorld(true);
  return scene.getObjectByName("mixamorigHead").getWorldPosition(new Vector3());
}

describe("an FBX file", () => {
  const tops = { "several top nodes": undefined, "an animated top node": "Armature", "a top node without a name": "" };
  for (const [top, armature] of Object.entries(tops))
    for (const unit of [undefined, 1, 100])
      it(`with ${top} and the unit ${unit === undefined ? "not stated" : `${unit} cm`} is in metres`, async () => {
        const head = await headOf((await convert({ unit, armature })).glb);
        // The armature is 0.5 m above the ground, and has moved by 0.5 m along x.
        const [x, y] = armature === undefined ? [0, 1.55] : [0.5, 2.05];
        assert.ok(Math.abs(head.x - x) < 0.01 && Math.abs(head.y - y) < 0.01, `${head.x} ${head.y} m`);
      });

  it("contains its embedded picture", async () => {
    const { pictures } = await convert({ picture: "iVBORw0KGgo=" });
    assert.deepEqual(
      pictures.map(({ slot, picture }) => [slot, picture.type, picture.size]),
      [["map", "image/png", 8]],
    );
  });

  it("is converted without a damaged picture", async () => {
    const { glb, pictures } = await convert({ picture: "iVBOR" });
    assert.deepEqual(pictures, []);
    assert.ok(Math.abs((await headOf(glb)).y - 1.55) < 0.01);
  });
});
