/** Loading the wasm modules, each once. */
import type { InitInput } from "../../wasm/kinestitch.js";
import { KinestitchError, messageOf, wasmMemory } from "./error.js";
import { platform } from "./platform.js";
import type { WasmSource } from "./types.js";

/** An entry's way to a wasm file; `override` is the user's own place for it. */
export type WasmLocation = (override?: URL | string) => URL | string | Promise<Uint8Array>;

/** A wasm module: how its script starts it, and where its file lies. */
export interface WasmModule {
  initialise(options: { module_or_path: InitInput }): Promise<{ readonly memory: WebAssembly.Memory }>;
  wasm: WasmLocation;
}

/** A module that is started when it is first needed. A start that failed may be tried again. */
class Started {
  readonly #module: () => WasmModule;
  #source: WasmSource | undefined;
  #ready: Promise<void> | undefined;

  constructor(module: () => WasmModule) {
    this.#module = module;
  }

  /** The user's own place for it, where it is not started yet. */
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
    // Vite's development server bundles packages beforehand and leaves the files beside them behind.
    const help = where.includes("/.vite/") ? '; in vite.config.js, set optimizeDeps: { exclude: ["kinestitch"] }' : "";
    throw new KinestitchError("wasm", `cannot load the wasm module${where}: ${messageOf(error)}${help}`, {
      cause: error,
    });
  }
}
