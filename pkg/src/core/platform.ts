/** Differences between browsers, Node and bundles without files: each entry registers its platform when imported. */
import type * as script from "../../wasm/kinestitch.js";
import type { Networks } from "../networks/networks.js";
import { KinestitchError } from "./error.js";
import type { ReadLocation } from "./input.js";
import type { Method } from "./types.js";
import type { WasmModule } from "./wasm.js";

/** Part of a wasm module for reading and displaying motions, common to the light and the small one. */
export interface ClipModule extends WasmModule, Pick<typeof script, "ClipHandle" | "BvhReader"> {}

/** Platform of an entry. */
export interface Platform {
  light: ClipModule;
  live: WasmModule;
  read: ReadLocation;
  /** The networks; one instance per thread. */
  networks(): Networks;
  /** Default method of `stitch`, as set by `init`. */
  method?: Method;
}

let provided: Platform | undefined;

/** Registers the platform of an entry. One without files (`slim`) is replaced by one with files. */
export function provide(platform: Platform, givesWay = false): void {
  if (provided && givesWay) return;
  provided = platform;
}

export function platform(): Platform {
  if (!provided)
    throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/slim"');
  return provided;
}
