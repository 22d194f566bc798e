/** Platform of the entries that know no location of a file: `kinestitch/slim` and `kinestitch-single`. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { providePlatform } from "./core/platform.js";
import type { WasmLocation } from "./core/wasm.js";
import { Networks } from "./networks/networks.js";
import { load } from "./tasks/load.js";

/** A module that only `init` locates; without a location, `message` is the error's. */
export function locatedByInit(message: string): WasmLocation {
  return (override) => {
    if (override !== undefined) return override;
    throw new KinestitchError("wasm", message);
  };
}

/** Registers the platform, which gives way to one with files. */
export function provideWithoutFiles(light: WasmLocation, live: WasmLocation): void {
  const networks = new Networks(fetchBytes);
  providePlatform(
    {
      light: { initialise, wasm: light, ClipHandle, BvhReader },
      live: { initialise: startLive, wasm: live },
      read: fetchBytes,
      networks: () => networks,
    },
    true,
  );
  provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load });
}
