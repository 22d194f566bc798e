/**
 * The WebGPU module of a thread: started once, because a wasm instance cannot be unloaded. A module that has crashed is
 * replaced.
 */
import { KinestitchError } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import { SharedWork } from "../core/shared.js";
import type { Device, NetworkOptions, TaskOptions } from "../core/types.js";
import { type Adapter, findAdapter, NO_ADAPTER } from "./device.js";
import { rejectOnCrash, type GpuModule, startModule } from "./gpu.js";
import { displayUrl } from "./manifest.js";
import { gpuUrls } from "./urls.js";

/** The WebGPU adapter, and whether networks use it. */
export interface AdapterChoice {
  /** The adapter; `undefined` without WebGPU. */
  adapter: Adapter | undefined;
  /** The adapter if networks use it, else `undefined`. */
  chosen: Adapter | undefined;
}

/** The WebGPU module of this thread: started on first need, replaced after a crash. */
export class GpuHost {
  readonly #read: ReadLocation;
  readonly #onStop: () => void;
  #module: GpuModule | undefined;
  /** The start of the module, which concurrent callers share: a second instance would replace the first one in use. */
  #starting: SharedWork<GpuModule> | undefined;
  /** The part of a start that follows the download. An abort does not stop it, so the next start joins it. */
  #instance: Promise<GpuModule> | undefined;
  /** Number of modules that have crashed. */
  #crashes = 0;

  /** `onStop` is called after a crash: the networks loaded into the module are lost. */
  constructor(read: ReadLocation, onStop: () => void) {
    this.#read = read;
    this.#onStop = onStop;
  }

  /** Returns the size of the download before the module can start, bytes; 0 if it is running. */
  bytes(settings: NetworkOptions): number {
    return this.#module ? 0 : (gpuUrls(settings)?.bytes ?? 0);
  }

  /** Returns the module; starts it if necessary. */
  async start(settings: NetworkOptions, task: TaskOptions): Promise<GpuModule> {
    if (this.#module) return this.#module;
    if (!this.#starting || this.#starting.isStopped)
      this.#starting = new SharedWork((shared) => this.#start(settings, shared));
    return this.#starting.wait(task);
  }

  async #start(settings: NetworkOptions, task: TaskOptions): Promise<GpuModule> {
    const urls = gpuUrls(settings);
    if (!urls) throw new KinestitchError("wasm", "this app has no WebGPU module");
    const { wasm } = urls;
    // Browsers cache the script by URL, and the script holds one wasm instance: a query makes them load a new copy.
    const separator = urls.script.includes("?") ? "&" : "?";
    const script = urls.script + (this.#crashes > 0 ? `${separator}${this.#crashes}` : "");
    const isUrl = typeof wasm === "string" || wasm instanceof URL;
    const source = isUrl ? ((await this.#read(wasm, task)) as Uint8Array<ArrayBuffer>) : wasm;
    const name = isUrl ? displayUrl(wasm) : "the module passed as `wasm`";
    this.#instance ??= startModule(script, source, name).catch((error: unknown) => {
      this.#instance = undefined;
      throw error;
    });
    return (this.#module = await this.#instance);
  }

  /** Runs a call of the module. If the module crashes during the call, the next `start` loads a new one. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await rejectOnCrash(call);
    } catch (error) {
      if (error instanceof KinestitchError && error.code === "wasm" && this.#module) {
        this.#module = this.#starting = this.#instance = undefined;
        this.#crashes++;
        this.#onStop();
      }
      throw error;
    }
  }

  /**
   * Returns the adapter for a requested device.
   *
   * @throws {KinestitchError} with code `device` if "webgpu" is requested and not available.
   */
  async adapter(device: Device, settings: NetworkOptions): Promise<AdapterChoice> {
    const adapter = device === "cpu" ? undefined : await findAdapter();
    const chosen = adapter && (device === "webgpu" || !adapter.emulated) && gpuUrls(settings) ? adapter : undefined;
    if (device === "webgpu" && !chosen)
      throw new KinestitchError("device", `device: ${reasonForCpu(device, adapter)}; use "cpu" or "auto"`);
    return { adapter, chosen };
  }
}

/** Returns the reason why WebGPU is not used, as part of a sentence. */
export function reasonForCpu(device: Device, adapter: Adapter | undefined): string {
  if (device === "cpu") return "the CPU was requested";
  if (!adapter) return NO_ADAPTER;
  if (device === "auto" && adapter.emulated) return `WebGPU is emulated on the CPU here (${adapter.name})`;
  return "this build has no WebGPU module";
}
