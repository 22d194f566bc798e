/** Loads networks: fetches their files, and starts them on the CPU and, if requested (or faster, for the refiner), on the GPU. */
import { CpuInbetweener, CpuRefiner } from "../../wasm/kinestitch.js";
import { callWasm } from "../core/error.js";
import { gpuMethods } from "../generated/methods.js";
import type { Device, NetworkOptions, TaskOptions } from "../core/types.js";
import { mainModule } from "../core/wasm.js";
import { type Adapter, causeOf, chooseFasterDevice, type DeviceChoice } from "./device.js";
import { Download } from "./download.js";
import { fillerOf, type GpuRefiner, type GpuModule } from "./gpu.js";
import { type GpuHost, reasonForCpu } from "./gpu-host.js";
import type { FillerNetwork, RefinerNetwork } from "./loaded.js";
import { choose, fileOf } from "./manifest.js";
import type { NetworkSource } from "./source.js";

/** Dependencies for starting a network. */
export interface NetworkDependencies {
  source: NetworkSource;
  gpu: GpuHost;
}

/**
 * Loads a network of `inbetween`. These networks are small and are evaluated many times per second, so they run on the
 * CPU. A network that fills a complete gap in one pass can run on the GPU, if that is requested.
 */
export async function startFiller(
  { source, gpu }: NetworkDependencies,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<FillerNetwork> {
  const { networks, manifestName } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "inbetween", name, set: settings.set }, manifestName);
  const requested = settings.device ?? "auto";
  const runsOnGpu = requested === "webgpu" && gpuMethods.some((method) => method === name);
  const { chosen } = await gpu.adapter(runsOnGpu ? requested : "cpu", settings);
  const weights = fileOf(model, "weights");
  // Recorded paths, for a network that follows them.
  const gallery = model.files.find(({ role }) => role === "gallery");
  const download = new Download(shared, weights.bytes, gallery?.bytes ?? 0, chosen ? gpu.bytes(settings) : 0);
  const [bytes, paths, module] = await Promise.all([
    source.file(settings, weights, networks, download.fileTask(0)),
    gallery && source.file(settings, gallery, networks, download.fileTask(1)),
    chosen && gpu.start(settings, download.fileTask(2)),
    mainModule.ensure(),
  ]);
  const cpu = callWasm(() => new CpuInbetweener(bytes));
  if (paths) callWasm(() => cpu.setGallery(paths));
  // Not in `gpu.run`, which would take the error of an old module without this filler for a crash.
  const filler = module && fillerOf(module, name);
  const handle = filler && (await gpu.run(() => filler.load(bytes)));
  download.end();
  const choice: DeviceChoice = chosen
    ? { used: "webgpu", reason: `WebGPU was requested; its adapter is ${chosen.name}` }
    : { used: "cpu", reason: reasonForCpuFiller(requested, name) };
  return { model, cpu, gpu: handle, device: { asked: requested, ...choice } };
}

/** Returns why a network of `inbetween` runs on the CPU. */
function reasonForCpuFiller(requested: Device, name: string): string {
  if (requested === "cpu") return "the CPU was requested";
  if (requested === "webgpu") return `${name} runs on the CPU only`;
  return "networks of in-betweening run on the CPU unless WebGPU is requested";
}

/** Loads the network that refines seams. */
export async function startRefiner(
  dependencies: NetworkDependencies,
  name: string,
  settings: NetworkOptions,
  shared: Required<TaskOptions>,
): Promise<RefinerNetwork> {
  const { source, gpu } = dependencies;
  const { networks, manifestName } = await source.manifest(settings.models, shared.signal);
  const model = choose(networks, { task: "stitch", name, set: settings.set }, manifestName);
  const requested = settings.device ?? "auto";
  const { adapter, chosen } = await gpu.adapter(requested, settings);
  const weights = fileOf(model, "weights");
  const download = new Download(shared, chosen ? gpu.bytes(settings) : 0, weights.bytes);
  let loadError: string | undefined;
  const start = (): Promise<GpuModule | undefined> =>
    gpu.start(settings, download.fileTask(0)).catch((error: unknown) => {
      if (requested === "webgpu" || shared.signal.aborted) throw error;
      loadError = causeOf(error);
      return undefined;
    });
  const [module, bytes] = await Promise.all([
    chosen && start(),
    source.file(settings, weights, networks, download.fileTask(1)),
    mainModule.ensure(),
  ]);
  const cpu = callWasm(() => new CpuRefiner(bytes));
  const { handle, ...choice } =
    module && chosen
      ? await refinerOnGpu(gpu, module, { bytes, cpu, requested, adapter: chosen })
      : { used: "cpu" as const, reason: loadError ?? reasonForCpu(requested, adapter), handle: undefined };
  download.end();
  return { model, cpu, gpu: handle, device: { asked: requested, ...choice } };
}

/** Returns the refiner on the GPU, if the GPU is requested or faster. */
async function refinerOnGpu(
  gpu: GpuHost,
  module: GpuModule,
  {
    bytes,
    cpu,
    requested,
    adapter: { name },
  }: { bytes: Uint8Array; cpu: CpuRefiner; requested: Device; adapter: Adapter },
): Promise<DeviceChoice & { handle: GpuRefiner | undefined }> {
  const load = (): Promise<GpuRefiner> => gpu.run(() => module.GpuRefiner.load(bytes));
  if (requested === "webgpu")
    return { handle: await load(), used: "webgpu", reason: `WebGPU was requested; its adapter is ${name}` };
  try {
    const handle = await load();
    const choice = await chooseFasterDevice(cpu, (rows) => gpu.run(() => handle.forward(rows)), name);
    return { ...choice, handle: choice.used === "webgpu" ? handle : undefined };
  } catch (error) {
    return { handle: undefined, used: "cpu", reason: `WebGPU (${name}) does not work: ${causeOf(error)}` };
  }
}
