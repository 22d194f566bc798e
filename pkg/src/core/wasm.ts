/** Loading the wasm modules, each once. */
import type { InitInput } from "../../wasm/kinestitch.js";
import { KinestitchError, messageOf, wasmMemory } from "./error.js";
import { platform } from "./platform.js";
import type { WasmSource } from "./types.js";

/** Locates a wasm file for an entry; `override` is the user's own location. */
export type WasmLocation = (override?: URL | string) => URL | string | Promise<Uint8Array>;

/** A wasm module: the function that starts it, and the location of its file. */
export interface WasmModule {
  initialise(options: { module_or_path: InitInput }): Promise<{ readonly memory: WebAssembly.Memory }>;
  wasm: WasmLocation;
}

/** A module that is started on first need. A failed start may be repeated. */
class Started {
  readonly #module: () => WasmModule;
  #source: WasmSource | undefined;
  #ready: Promise<void> | undefined;

  constructor(module: () => WasmModule) {
    this.#module = module;
  }

  /** Sets the user's own location, before the module is started. */
  place(source: WasmSource | undefined): void {
    if (source !== undefined) this.#source = source;
  }

  ensure(): Promise<void> {
    this.#ready ??= start(this.#module(), this.#source).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}

/** The module of clips and stitching. */
export const light = /* @__PURE__ */ new Started(() => platform().light);
/** The module of in-betweening and of networks on the CPU. */
export const live = /* @__PURE__ */ new Started(() => platform().live);

async function start({ initialise, wasm: location }: WasmModule, source: WasmSource | undefined): Promise<void> {
  const isPlace = source === undefined || typeof source === "string" || source instanceof URL;
  const wasm = isPlace ? location(source) : source;
  try {
    const { memory } = await initialise({ module_or_path: (await wasm) as InitInput });
    wasmMemory.add(() => memory.buffer.byteLength);
  } catch (error) {
    const where = wasm instanceof URL || typeof wasm === "string" ? ` from ${wasm}` : "";
    // Vite's development server prebundles packages without the files beside them.
    const help = where.includes("/.vite/") ? '; in vite.config.js, set optimizeDeps: { exclude: ["kinestitch"] }' : "";
    throw new KinestitchError("wasm", `cannot load the wasm module${where}: ${messageOf(error)}${help}`, {
      cause: error,
    });
  }
}
