/** Loads networks: fetches their files, and starts them on the CPU, and on the GPU if requested or faster. */
import { CpuInbetweener, CpuRefiner } from "../../wasm/live.js";
import { callLiveWasm as callWasm } from "../core/error.js";
import { gpuMethods } from "../core/generated/methods.js";
import type { Device, NetworkOptions, TaskOptions } from "../core/types.js";
import { live } from "../core/wasm.js";
import { type Adapter, causeOf, measure, type Verdict } from "./device.js";
import { Download } from "./download.js";
import { fillerOf, type GpuHandle, type GpuModule } from "./gpu.js";
import { type GpuHost, notUsed } from "./gpu-host.js";
import type { Filling, Refining } from "./loaded.js";
import { choose, fileOf } from "./manifest.js";
import type { NetworkSource } from "./source.js";

/** Dependencies for starting a network. */
export interface NetworkLoader {
  source: NetworkSource;
  gpu: GpuHost;
}

/**
 * Loads a network of `inbetween`. Networks are small and are evaluated many times per second, so they run on the CPU. One
 * that makes a whole gap at once also runs on the GPU if requested, for one motion at a time.
 */
export async function startFilling(
  { source, gpu }: NetworkLoader,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<Filling> {
  const { networks, where } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "inbetween", name, set: settings.set }, where);
  const asked = settings.device ?? "auto";
  const onGpu = asked === "webgpu" && gpuMethods.some((method) => method === name);
  const { chosen } = await gpu.adapter(onGpu ? asked : "cpu", settings);
  const weights = fileOf(model, "weights");
  // Recorded paths, for a network that follows them.
  const gallery = model.files.find(({ role }) => role === "gallery");
  const download = new Download(shared, weights.bytes, gallery?.bytes ?? 0, chosen ? gpu.bytes(settings) : 0);
  const [bytes, paths, module] = await Promise.all([
    source.file(settings, weights, networks, download.part(0)),
    gallery && source.file(settings, gallery, networks, download.part(1)),
    chosen && gpu.start(settings, download.part(2)),
    live.ensure(),
  ]);
  const cpu = callWasm(() => new CpuInbetweener(bytes));
  if (paths) callWasm(() => cpu.setGallery(paths));
  // Outside of `callWasm`: a module without this method has not stopped.
  const filler = module && fillerOf(module, name);
  const handle = filler && (await gpu.run(() => filler.load(bytes)));
  download.end();
  const verdict: Verdict = chosen
    ? { used: "webgpu", reason: `WebGPU was asked for; its adapter is ${chosen.name}` }
    : { used: "cpu", reason: "in-betweening runs on the CPU, beside its keys" };
  return { model, cpu, gpu: handle, device: { asked, ...verdict } };
}

/** Loads the network that refines seams. */
export async function startRefining(
  loader: NetworkLoader,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<Refining> {
  const { source, gpu } = loader;
  const { networks, where } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "stitch", name, set: settings.set }, where);
  const asked = settings.device ?? "auto";
  const { adapter, chosen } = await gpu.adapter(asked, settings);
  const weights = fileOf(model, "weights");
  const download = new Download(shared, chosen ? gpu.bytes(settings) : 0, weights.bytes);
  let missing: string | undefined;
  const start = (): Promise<GpuModule | undefined> =>
    gpu.start(settings, download.part(0)).catch((error: unknown) => {
      if (asked === "webgpu" || shared.signal.aborted) throw error;
      missing = causeOf(error);
      return undefined;
    });
  const [module, bytes] = await Promise.all([
    chosen && start(),
    source.file(settings, weights, networks, download.part(1)),
    live.ensure(),
  ]);
  const cpu = callWasm(() => new CpuRefiner(bytes));
  const { handle, ...verdict } =
    module && chosen
      ? await refinerOnGpu(gpu, module, { bytes, cpu, asked, adapter: chosen })
      : { used: "cpu" as const, reason: missing ?? notUsed(asked, adapter), handle: undefined };
  download.end();
  return { model, cpu, gpu: handle, device: { asked, ...verdict } };
}

/** The refiner on the GPU, if requested or faster. */
async function refinerOnGpu(
  gpu: GpuHost,
  module: GpuModule,
  { bytes, cpu, asked, adapter: { name } }: { bytes: Uint8Array; cpu: CpuRefiner; asked: Device; adapter: Adapter },
): Promise<Verdict & { handle: GpuHandle | undefined }> {
  const load = (): Promise<GpuHandle> => gpu.run(() => module.GpuRefiner.load(bytes));
  if (asked === "webgpu")
    return { handle: await load(), used: "webgpu", reason: `WebGPU was asked for; its adapter is ${name}` };
  try {
    const handle = await load();
    const verdict = await measure(cpu, handle, name);
    return { ...verdict, handle: verdict.used === "webgpu" ? handle : undefined };
  } catch (error) {
    return { handle: undefined, used: "cpu", reason: `WebGPU (${name}) does not work: ${causeOf(error)}` };
  }
}
