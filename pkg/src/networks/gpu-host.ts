/**
 * The WebGPU module of a thread: started once, as a wasm instance cannot be given back. One that stopped half-way is
 * replaced.
 */
import { KinestitchError } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import type { Device, NetworkOptions, TaskOptions } from "../core/types.js";
import { type Adapter, findAdapter, NO_ADAPTER } from "./device.js";
import { answered, type GpuModule, startModule } from "./gpu.js";
import { nameOf } from "./manifest.js";
import { gpuPlaces } from "./places.js";

/** An adapter for WebGPU, and whether it is to be used. */
export interface Found {
  adapter: Adapter | undefined;
  /** The adapter, where it is to be used. */
  wanted: Adapter | undefined;
}

/** The WebGPU module of this thread: started on first need, replaced after it has stopped. */
export class GpuHost {
  readonly #read: ReadLocation;
  readonly #onStop: () => void;
  #module: GpuModule | undefined;
  /** How many modules have stopped. */
  #stopped = 0;

  /** `onStop` is called where the module stopped: what was loaded into it is lost. */
  constructor(read: ReadLocation, onStop: () => void) {
    this.#read = read;
    this.#onStop = onStop;
  }

  /** Bytes that starting it fetches. */
  bytes(settings: NetworkOptions): number {
    return this.#module ? 0 : (gpuPlaces(settings)?.bytes ?? 0);
  }

  async start(settings: NetworkOptions, task: TaskOptions): Promise<GpuModule> {
    if (this.#module) return this.#module;
    const places = gpuPlaces(settings);
    if (!places) throw new KinestitchError("wasm", "this app has no WebGPU module");
    const { wasm } = places;
    // The script holds one module; its address with a query is another script.
    const script = places.script + (this.#stopped > 0 ? `?${this.#stopped}` : "");
    const isPlace = typeof wasm === "string" || wasm instanceof URL;
    const module = isPlace
      ? await startModule(script, (await this.#read(wasm, task)) as Uint8Array<ArrayBuffer>, nameOf(wasm))
      : await startModule(script, wasm, "as given");
    this.#module ??= module;
    return module;
  }

  /** Asks the module; one that stopped is not asked again. */
  async guarded<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await answered(ask);
    } catch (error) {
      if (error instanceof KinestitchError && error.code === "wasm" && this.#module) {
        this.#module = undefined;
        this.#stopped++;
        this.#onStop();
      }
      throw error;
    }
  }

  /**
   * The adapter that a device asks for.
   *
   * @throws {KinestitchError} `device` where "webgpu" is asked for and cannot be.
   */
  async adapter(asked: Device, settings: NetworkOptions): Promise<Found> {
    const adapter = asked === "cpu" ? undefined : await findAdapter();
    const wanted = adapter && (asked === "webgpu" || !adapter.emulated) && gpuPlaces(settings) ? adapter : undefined;
    if (asked === "webgpu" && !wanted)
      throw new KinestitchError("device", `device: ${notUsed(asked, adapter)}; ask for "cpu" or "auto"`);
    return { adapter, wanted };
  }
}

/** Why WebGPU is not used. */
export function notUsed(asked: Device, adapter: Adapter | undefined): string {
  if (asked === "cpu") return "the CPU was asked for";
  if (!adapter) return NO_ADAPTER;
  if (asked === "auto" && adapter.emulated) return `WebGPU is emulated on the CPU here (${adapter.name})`;
  return "this build has no WebGPU module, or none yet";
}
