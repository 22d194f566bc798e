// The examples of control and phases, on this thread and in a worker, with only the networks they need.
import { createController, livePhases, load, stitch } from "kinestitch";
import "kinestitch/networks/controller-biped";
import "kinestitch/networks/periodic";
import * as worker from "kinestitch/worker";
import { report } from "./story.js";

const failure = (promise) =>
  promise.then(
    () => "it did not fail",
    ({ code, message }) => [code, message],
  );

async function runAll() {
  const localController = await createController();
  const workerController = await worker.createController({ device: "cpu" });
  for (let frame = 0; frame < 60; frame++) {
    localController.step({ direction: [1, 0], speed: 1.2 }, 1 / 30);
    await workerController.step({ direction: [1, 0], speed: 1.2 }, 1 / 30);
  }
  const clips = [await load("a.bvh"), await load("b.bvh")];
  const phases = await livePhases(clips[0]);
  const waves = new Float32Array(phases.channels * 4);
  phases.at(0.5, waves);
  return {
    moved: [localController, workerController].map(({ positions }) => positions[0] > 1),
    waves: waves.some((value) => value !== 0),
    dog: await failure(createController({ character: "dog" })),
    other: await failure(stitch(clips, { method: "rmr" })),
    gpu: await failure(createController({ device: "webgpu" })),
  };
}

report(runAll());
