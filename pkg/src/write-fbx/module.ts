/** The wasm module that writes FBX files: fetched when the first one is written. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { WasmLocation } from "../core/wasm.js";

type FbxModule = typeof import("../../wasm/kinestitch_fbx.js");

let location: WasmLocation | undefined;
let started: Promise<FbxModule> | undefined;

/** Registers the location of the module; called by the entries. */
export function provideFbx(wasm: WasmLocation): void {
  location = wasm;
}

/** Starts the module, unless it is running. After a failure, the next call tries again. */
export function fbxModule(): Promise<FbxModule> {
  started ??= start().catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}

async function start(): Promise<FbxModule> {
  try {
    const module = await import("../../wasm/kinestitch_fbx.js");
    await module.default({ module_or_path: (await location?.()) as never });
    return module;
  } catch (error) {
    throw new KinestitchError("wasm", `cannot load the wasm module that writes FBX: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
