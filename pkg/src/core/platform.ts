/** Differences between browsers, Node and bundles without files: each entry registers its platform when imported. */
import type * as script from "../../wasm/kinestitch.js";
import type { Networks } from "../networks/networks.js";
import type { ReadLocation } from "./files.js";
import type { Method } from "./types.js";
import { noEntry, provideModule, type WasmModule } from "./wasm.js";

/** The main module, or the module of `kinestitch/small`, which has fewer exports. */
export interface ClipModule extends WasmModule, Pick<typeof script, "ClipHandle" | "BvhReader"> {}

/** Platform of an entry. */
export interface Platform {
  /** The main module. */
  module: ClipModule;
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
  provideModule(platform.module);
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
