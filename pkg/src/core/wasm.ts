/** Loading the wasm modules, each once. */
import type { InitInput } from "../../wasm/kinestitch.js";
import { KinestitchError, messageOf, wasmMemory } from "./error.js";
import { lightModule, liveModule, type RestartableModule } from "./restart.js";
import type { WasmSource } from "./types.js";

/** Locates a wasm file for an entry; `override` is the user's own location. */
export type WasmLocation = (override?: URL | string) => URL | string | Promise<Uint8Array>;

/** The exports of a module. */
interface Instance {
  readonly memory: WebAssembly.Memory;
}

/** Starts a module; `reset`, which scripts/build-wasm.mjs adds, puts a fresh instance in its place. */
interface Initialise {
  (options: { module_or_path: InitInput }): Promise<Instance>;
  readonly reset?: () => Instance;
}

/** A wasm module: the function that starts it, and the location of its file. */
export interface WasmModule {
  initialise: Initialise;
  wasm: WasmLocation;
}

let provided: { light: WasmModule; live: WasmModule } | undefined;

/** Registers the modules of an entry; called by `providePlatform` of platform.ts. */
export function provideModules(modules: { light: WasmModule; live: WasmModule }): void {
  provided = modules;
}

/** The error of a call before any entry was imported. */
export const noEntry = (): KinestitchError =>
  new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/slim"');

function registered(name: "light" | "live"): WasmModule {
  if (!provided) throw noEntry();
  return provided[name];
}

/** A module that is started on first need. A failed start may be repeated. */
class Started {
  readonly #module: () => WasmModule;
  readonly #restarts: RestartableModule;
  #source: WasmSource | undefined;
  #ready: Promise<void> | undefined;

  constructor(module: () => WasmModule, restarts: RestartableModule) {
    this.#module = module;
    this.#restarts = restarts;
  }

  /** Sets the user's own location, before the module is started. */
  place(source: WasmSource | undefined): void {
    if (source !== undefined) this.#source = source;
  }

  ensure(): Promise<void> {
    this.#ready ??= start(this.#module(), this.#source, this.#restarts).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}

/** The module of clips and stitching. */
export const light = /* @__PURE__ */ new Started(() => registered("light"), lightModule);
/** The module of in-betweening and of networks on the CPU. */
export const live = /* @__PURE__ */ new Started(() => registered("live"), liveModule);

async function start(
  { initialise, wasm: location }: WasmModule,
  source: WasmSource | undefined,
  restarts: RestartableModule,
): Promise<void> {
  const isPlace = source === undefined || typeof source === "string" || source instanceof URL;
  const wasm = isPlace ? location(source) : source;
  try {
    let instance = await initialise({ module_or_path: (await wasm) as InitInput });
    wasmMemory.add(() => instance.memory.buffer.byteLength);
    const { reset } = initialise;
    restarts.setReset(reset && (() => (instance = reset())));
  } catch (error) {
    const where = wasm instanceof URL || typeof wasm === "string" ? ` from ${wasm}` : "";
    // Vite's development server prebundles packages without the files beside them.
    const help = where.includes("/.vite/") ? '; in vite.config.js, set optimizeDeps: { exclude: ["kinestitch"] }' : "";
    throw new KinestitchError("wasm", `cannot load the wasm module${where}: ${messageOf(error)}${help}`, {
      cause: error,
    });
  }
}
