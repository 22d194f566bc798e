/**
 * The WebGPU module of a thread: started once, because a wasm instance cannot be unloaded. One that crashed is replaced.
 */
import { KinestitchError } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import type { Device, NetworkOptions, TaskOptions } from "../core/types.js";
import { type Adapter, findAdapter, NO_ADAPTER } from "./device.js";
import { answered, type GpuModule, startModule } from "./gpu.js";
import { nameOf } from "./manifest.js";
import { gpuPlaces } from "./places.js";

/** The WebGPU adapter, and the decision whether networks use it. */
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
  /** Number of modules that have crashed. */
  #crashes = 0;

  /** `onStop` is called after a crash: the networks loaded into the module are lost. */
  constructor(read: ReadLocation, onStop: () => void) {
    this.#read = read;
    this.#onStop = onStop;
  }

  /** Bytes to fetch before the module can start; 0 once it runs. */
  bytes(settings: NetworkOptions): number {
    return this.#module ? 0 : (gpuPlaces(settings)?.bytes ?? 0);
  }

  /** The module, started if necessary. */
  async start(settings: NetworkOptions, task: TaskOptions): Promise<GpuModule> {
    if (this.#module) return this.#module;
    const places = gpuPlaces(settings);
    if (!places) throw new KinestitchError("wasm", "this app has no WebGPU module");
    const { wasm } = places;
    // Modules of JavaScript are cached by address, and the script holds one wasm instance: a query loads a new copy.
    const script = places.script + (this.#crashes > 0 ? `?${this.#crashes}` : "");
    const isPlace = typeof wasm === "string" || wasm instanceof URL;
    const module = isPlace
      ? await startModule(script, (await this.#read(wasm, task)) as Uint8Array<ArrayBuffer>, nameOf(wasm))
      : await startModule(script, wasm, "as given");
    this.#module ??= module;
    return module;
  }

  /** Runs a call of the module. A module that crashes during the call is replaced before the next one. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await answered(call);
    } catch (error) {
      if (error instanceof KinestitchError && error.code === "wasm" && this.#module) {
        this.#module = undefined;
        this.#crashes++;
        this.#onStop();
      }
      throw error;
    }
  }

  /**
   * The adapter for a requested device.
   *
   * @throws {KinestitchError} with code `device` if "webgpu" is requested and not available.
   */
  async adapter(device: Device, settings: NetworkOptions): Promise<AdapterChoice> {
    const adapter = device === "cpu" ? undefined : await findAdapter();
    const chosen = adapter && (device === "webgpu" || !adapter.emulated) && gpuPlaces(settings) ? adapter : undefined;
    if (device === "webgpu" && !chosen)
      throw new KinestitchError("device", `device: ${notUsed(device, adapter)}; ask for "cpu" or "auto"`);
    return { adapter, chosen };
  }
}

/** Reason why WebGPU is not used, as part of a sentence. */
export function notUsed(device: Device, adapter: Adapter | undefined): string {
  if (device === "cpu") return "the CPU was asked for";
  if (!adapter) return NO_ADAPTER;
  if (device === "auto" && adapter.emulated) return `WebGPU is emulated on the CPU here (${adapter.name})`;
  return "this build has no WebGPU module, or none yet";
}
