/** Platform of the entry points that do not know the URLs of files: `kinestitch/slim` and `kinestitch-single`. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { providePlatform } from "./core/platform.js";
import type { WasmLocation } from "./core/wasm.js";
import { Networks } from "./networks/networks.js";
import { load } from "./tasks/load.js";

/** Creates a function that returns the location set by `init`, and throws an error with `message` if there is none. */
export function locatedByInit(message: string): WasmLocation {
  return (override) => {
    if (override !== undefined) return override;
    throw new KinestitchError("wasm", message);
  };
}

/** Registers the platform and its file access as fallbacks: those of an entry with files have precedence. */
export function provideWithoutFiles(wasm: WasmLocation): void {
  const networks = new Networks(fetchBytes);
  providePlatform(
    {
      module: { initialise, wasm, ClipHandle, BvhReader },
      read: fetchBytes,
      networks: () => networks,
    },
    true,
  );
  provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load }, true);
}
