/** Networks on their device: files fetched, the CPU's form made, the GPU's where it is asked for or faster. */
import { CpuInbetweener, CpuRefiner } from "../../wasm/live.js";
import { guardedLive as guarded } from "../core/error.js";
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
export interface Workshop {
  source: NetworkSource;
  gpu: GpuHost;
}

/**
 * A network of `inbetween`: small, and asked many times a second, so it stays on the CPU, beside the keys. One that
 * is asked once for a whole gap goes to the GPU where that is asked for, and there for one motion at a time.
 */
export async function startFilling(
  { source, gpu }: Workshop,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<Filling> {
  const { networks, where } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "inbetween", name, set: settings.set }, where);
  const asked = settings.device ?? "auto";
  const onGpu = asked === "webgpu" && gpuMethods.some((method) => method === name);
  const { wanted } = await gpu.adapter(onGpu ? asked : "cpu", settings);
  const weights = fileOf(model, "weights");
  // Where ways are found, beside the network that follows them.
  const gallery = model.files.find(({ role }) => role === "gallery");
  const download = new Download(shared, weights.bytes, gallery?.bytes ?? 0, wanted ? gpu.bytes(settings) : 0);
  const [bytes, ways, module] = await Promise.all([
    source.file(settings, weights, networks, download.part(0)),
    gallery && source.file(settings, gallery, networks, download.part(1)),
    wanted && gpu.start(settings, download.part(2)),
    live.ensure(),
  ]);
  const cpu = guarded(() => new CpuInbetweener(bytes));
  if (ways) guarded(() => cpu.setGallery(ways));
  const handle = module && (await gpu.guarded(() => fillerOf(module, name).load(bytes)));
  download.end();
  const verdict: Verdict = wanted
    ? { used: "webgpu", reason: `WebGPU was asked for; its adapter is ${wanted.name}` }
    : { used: "cpu", reason: "in-betweening runs on the CPU, beside its keys" };
  return { model, cpu, gpu: handle, device: { asked, ...verdict } };
}

/** The network that refines seams. */
export async function startRefining(
  workshop: Workshop,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<Refining> {
  const { source, gpu } = workshop;
  const { networks, where } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "stitch", name, set: settings.set }, where);
  const asked = settings.device ?? "auto";
  const { adapter, wanted } = await gpu.adapter(asked, settings);
  const weights = fileOf(model, "weights");
  const download = new Download(shared, wanted ? gpu.bytes(settings) : 0, weights.bytes);
  let missing: string | undefined;
  const start = (): Promise<GpuModule | undefined> =>
    gpu.start(settings, download.part(0)).catch((error: unknown) => {
      if (asked === "webgpu" || shared.signal.aborted) throw error;
      missing = causeOf(error);
      return undefined;
    });
  const [module, bytes] = await Promise.all([
    wanted && start(),
    source.file(settings, weights, networks, download.part(1)),
    live.ensure(),
  ]);
  const cpu = guarded(() => new CpuRefiner(bytes));
  const { handle, ...verdict } =
    module && wanted
      ? await refinerOnGpu(gpu, module, { bytes, cpu, asked, adapter: wanted })
      : { used: "cpu" as const, reason: missing ?? notUsed(asked, adapter), handle: undefined };
  download.end();
  return { model, cpu, gpu: handle, device: { asked, ...verdict } };
}

/** The refiner on the GPU, where that is asked for or faster. */
async function refinerOnGpu(
  gpu: GpuHost,
  module: GpuModule,
  { bytes, cpu, asked, adapter: { name } }: { bytes: Uint8Array; cpu: CpuRefiner; asked: Device; adapter: Adapter },
): Promise<Verdict & { handle: GpuHandle | undefined }> {
  const load = (): Promise<GpuHandle> => gpu.guarded(() => module.GpuRefiner.load(bytes));
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
