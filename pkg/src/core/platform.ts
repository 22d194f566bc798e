/** Differences between browsers, Node and bundles without files: each entry registers its platform when imported. */
import type * as script from "../../wasm/kinestitch.js";
import type { Networks } from "../networks/networks.js";
import type { ReadLocation } from "./files.js";
import type { Method } from "./types.js";
import { noEntry, provideModules, type WasmModule } from "./wasm.js";

/** Part of a wasm module for reading and displaying motions, common to the light and the small one. */
export interface ClipModule extends WasmModule, Pick<typeof script, "ClipHandle" | "BvhReader"> {}

/** Platform of an entry. */
export interface Platform {
  /** The module of clips and stitching. */
  light: ClipModule;
  /** The module of in-betweening and of networks on the CPU. */
  live: WasmModule;
  /** Reads the entry's files. */
  read: ReadLocation;
  /** The networks; one instance per thread. */
  networks(): Networks;
  /** Default method of `stitch`, as set by `init`. */
  method?: Method;
}

let provided: Platform | undefined;

/**
 * Registers the platform of an entry. With `givesWay` (`slim`, which has no files), a platform that is already
 * registered stays.
 */
export function provide(platform: Platform, givesWay = false): void {
  if (provided && givesWay) return;
  provided = platform;
  provideModules(platform);
}

/**
 * The registered platform.
 *
 * @throws {KinestitchError} `wasm` before an entry was imported.
 */
export function platform(): Platform {
  if (!provided) throw noEntry();
  return provided;
}
