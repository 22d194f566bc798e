/** Loads the main wasm module once, when it is first needed. */
import type { InitInput } from "../../wasm/kinestitch.js";
import { KinestitchError, messageOf, wasmMemory } from "./error.js";
import { VITE_ADVICE } from "./package-url.js";
import { mainInstance } from "./restart.js";
import type { WasmSource } from "./types.js";

/** Returns the URL or the bytes of a wasm file; `override`: the URL that the user has set, which has precedence. */
export type WasmLocation = (override?: URL | string) => URL | string | Promise<Uint8Array>;

/** The exports of a module. */
interface Instance {
  readonly memory: WebAssembly.Memory;
}

/** Starts a module; `reset`, which scripts/build-wasm.mjs adds, replaces the instance by a new one. */
interface Initialise {
  (options: { module_or_path: InitInput }): Promise<Instance>;
  readonly reset?: () => Instance;
}

/** A wasm module: the function that starts it, and the function that locates its file. */
export interface WasmModule {
  initialise: Initialise;
  wasm: WasmLocation;
}

let provided: WasmModule | undefined;

/** Registers the module of an entry; called by `providePlatform` of platform.ts. */
export function provideModule(module: WasmModule): void {
  provided = module;
}

/** Creates the error of a call before any entry was imported. */
export const noEntry = (): KinestitchError =>
  new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/slim"');

function registered(): WasmModule {
  if (!provided) throw noEntry();
  return provided;
}

/** A module that is started when it is first needed. After a failure, the next call of `ensure` tries again. */
class LazyModule {
  #source: WasmSource | undefined;
  #ready: Promise<void> | undefined;

  /**
   * Sets the file of the module, before the module is started; `undefined` changes nothing. Returns a function that
   * restores the previous file, unless another one was set meanwhile.
   */
  setSource(source: WasmSource | undefined): () => void {
    const previous = this.#source;
    if (source !== undefined) this.#source = source;
    return () => {
      if (source !== undefined && this.#source === source) this.#source = previous;
    };
  }

  /** Starts the module, unless it is running; resolves when it runs. */
  ensure(): Promise<void> {
    this.#ready ??= start(registered(), this.#source).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}

/** The main module, or the module of `kinestitch/small` in its worker. */
export const mainModule = /* @__PURE__ */ new LazyModule();

async function start({ initialise, wasm: location }: WasmModule, source: WasmSource | undefined): Promise<void> {
  const needsLocation = source === undefined || typeof source === "string" || source instanceof URL;
  const wasm = needsLocation ? location(source) : source;
  try {
    let instance = await initialise({ module_or_path: (await wasm) as InitInput });
    wasmMemory.add(() => instance.memory.buffer.byteLength);
    const { reset } = initialise;
    mainInstance.setReset(reset && (() => (instance = reset())));
  } catch (error) {
    const fromUrl = wasm instanceof URL || typeof wasm === "string" ? ` from ${wasm}` : "";
    // Vite's development server prebundles packages without the files beside them.
    const help = fromUrl.includes("/.vite/") ? `; ${VITE_ADVICE}` : "";
    throw new KinestitchError("wasm", `cannot load the wasm module${fromUrl}: ${messageOf(error)}${help}`, {
      cause: error,
    });
  }
}
