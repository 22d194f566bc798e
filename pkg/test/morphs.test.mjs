// Morph targets (faces): a clip carries their tracks to characters with the same meshes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import validator from "gltf-validator";
import { AnimationMixer } from "three";
import { animateGlb, load } from "kinestitch";
import { toAnimationClip } from "kinestitch/three";
import { animateGlb as animateInWorker, load as loadInWorker } from "kinestitch/worker";
import { glb } from "./hostile-documents.mjs";
import { documentOf, parts } from "./glb-parts.mjs";
import { loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

const walk = new Uint8Array(readFileSync(join(root, "tests", "fixtures", "cases", "rate-20.glb")));

/** Returns a walking character whose mesh has two morph targets; the first grows from 0 to 1 in the first two seconds. */
function withFace() {
  const { json, binary } = parts(walk);
  const node = json.nodes.findIndex(({ mesh }) => mesh !== undefined);
  json.nodes[node].name = "Face";
  const [primitive] = json.meshes[json.nodes[node].mesh].primitives;
  const position = primitive.attributes.POSITION;
  primitive.targets = [{ POSITION: position }, { POSITION: position }];
  const values = new Float32Array([0, 2, 0, 0.5, 1, 0.5]);
  const start = Math.ceil(binary.length / 4) * 4;
  const bytes = Buffer.concat([binary, Buffer.alloc(start - binary.length), Buffer.from(values.buffer)]);
  json.buffers[0].byteLength = bytes.length;
  json.bufferViews.push(
    { buffer: 0, byteOffset: start, byteLength: 8 },
    { buffer: 0, byteOffset: start + 8, byteLength: 16 },
  );
  json.accessors.push(
    { bufferView: json.bufferViews.length - 2, componentType: 5126, count: 2, type: "SCALAR", min: [0], max: [2] },
    { bufferView: json.bufferViews.length - 1, componentType: 5126, count: 4, type: "SCALAR" },
  );
  const { channels, samplers } = json.animations[0];
  samplers.push({ input: json.accessors.length - 2, output: json.accessors.length - 1 });
  channels.push({ sampler: samplers.length - 1, target: { node, path: "weights" } });
  return glb(json, [0x004e4942, bytes]);
}

/** Returns the weights of the face at a time of an animation, as three.js plays it. */
function weightsAt({ scene, animations: [animation] }, seconds) {
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animation).play();
  mixer.setTime(seconds);
  const weights = [...scene.getObjectByName("Face").morphTargetInfluences];
  mixer.stopAllAction();
  return weights;
}

const assertWeights = (weights, expected, what) =>
  weights.forEach((weight, i) => assert.ok(Math.abs(weight - expected[i]) < 1e-3, `${what}: ${weights}`));

describe("morph targets", () => {
  it("travel to the same character, through changes of time, also in the worker", async () => {
    const file = withFace();
    const clip = await load(file);
    assert.match(clip.info().leftOut.join(), /morph targets of "Face", except on a character with the same meshes/);
    const animated = await animateGlb(file, clip);
    const { issues } = await validator.validateBytes(animated, { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
    assertWeights(weightsAt(await loadGlb(animated), 1), [0.5, 0.5], "whole");
    const inWorker = await animateInWorker(file, await loadInWorker(file));
    assert.deepEqual(inWorker, animated);
    const part = await loadGlb(await animateGlb(file, await clip.slice(1, 3)));
    assertWeights(weightsAt(part, 0.5), [0.75, 0.5], "slice");
    assertWeights(
      weightsAt(await loadGlb(await animateGlb(file, await clip.timeScale(2))), 0.5),
      [0.5, 0.5],
      "timeScale",
    );
    const end = (clip.frames - 1) / clip.fps;
    assertWeights(
      weightsAt(await loadGlb(await animateGlb(file, await clip.reverse())), end - 1),
      [0.5, 0.5],
      "reverse",
    );
    const { scene } = await loadGlb(file);
    const played = { scene, animations: [await toAnimationClip(clip, scene)] };
    assertWeights(weightsAt(played, 1), [0.5, 0.5], "toAnimationClip");
  });

  it("are left out for a character without these meshes", async () => {
    const clip = await load(withFace());
    const { animations } = documentOf(await animateGlb(walk, clip));
    assert.ok(animations[0].channels.every(({ target }) => target.path !== "weights"));
  });
});
