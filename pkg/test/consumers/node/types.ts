// Compiled, never run: the types in typical use.
import {
  type Clip,
  KinestitchError,
  load,
  loadNetworks,
  type NetworkInfo,
  networkInfo,
  type StitchedClip,
  stitch,
} from "kinestitch";
import { init } from "kinestitch/slim";
import * as worker from "kinestitch/worker";

export async function main(file: File, url: URL, signal: AbortSignal): Promise<Float32Array> {
  await init({ wasm: new URL("https://example.org/kinestitch_bg.wasm") });
  const network: NetworkInfo = await loadNetworks({ device: "cpu", set: "open", models: "/models/", signal });
  console.log(
    network.licence,
    network.device.used satisfies "webgpu" | "cpu",
    (await networkInfo())?.device.webgpuMilliseconds,
  );
  console.log((await worker.networkModels()).map(({ set, scores }) => [set, scores]));
  const clips: Clip[] = await Promise.all([
    load(file, { rig: { LeftToe: null, Hips: "Pelvis" } }),
    load(url, { signal }),
  ]);
  try {
    const result: StitchedClip = await stitch(clips, {
      method: "rmr",
      blend: 0.5,
      footLock: false,
      trim: [{ from: 0, to: 100 }, undefined],
      onProgress: ({ stage, done }) => console.log(stage satisfies string, done.toFixed(2)),
    });
    const { rig, unit } = result.info();
    console.log(
      rig.LeftFoot satisfies string | undefined,
      unit satisfies "m" | "dm" | "cm" | "mm" | "inch" | "ft" | "other",
    );
    console.log(
      result.seams.map((seam) => [seam.peakJerk, seam.driftCm]),
      (await result.aligned()).length,
    );
    // @ts-expect-error: there is no such method
    await stitch(clips, { method: "magic" });
    return result.positions();
  } catch (error) {
    if (error instanceof KinestitchError && error.code === "bvh") console.log(error.line satisfies number | undefined);
    throw error;
  }
}
