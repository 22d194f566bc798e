/** Differences between browsers, Node and bundles without files: each entry registers its platform when imported. */
import type * as script from "../../wasm/kinestitch.js";
import type { Networks } from "../networks/networks.js";
import type { ReadLocation } from "./files.js";
import type { Method } from "./types.js";
import { noEntry, provideModules, type WasmModule } from "./wasm.js";

/** A wasm module that reads and displays motions: the light module and the small module. */
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

let registered: Platform | undefined;

/**
 * Registers the platform of an entry. If `isFallback` is true (the entry has no files, such as `kinestitch/slim`), a
 * platform that is already registered is kept.
 */
export function providePlatform(platform: Platform, isFallback = false): void {
  if (registered && isFallback) return;
  registered = platform;
  provideModules(platform);
}

/**
 * Returns the registered platform.
 *
 * @throws {KinestitchError} `wasm` if no entry was imported.
 */
export function platform(): Platform {
  if (!registered) throw noEntry();
  return registered;
}
