/** What differs between browsers, Node and bundles without files: each entry brings its own when it is imported. */
import { type NetworkFiles, Networks } from "../networks/networks.js";
import { KinestitchError } from "./error.js";
import type { ReadLocation } from "./input.js";
import type { Method } from "./types.js";
import type { WasmLocation } from "./wasm.js";

/** What an entry brings. */
export interface Platform {
  wasm: WasmLocation;
  read: ReadLocation;
  networks: NetworkFiles;
}

/** A platform with what there is once a thread. */
export interface Provided extends Omit<Platform, "networks"> {
  networks: Networks;
  /** What `init` said that `stitch` shall take where a call names no method. */
  method?: Method;
}

let provided: Provided | undefined;

/** Takes what an entry brings. One that knows no files (`slim`) gives way to one that does. */
export function provide({ wasm, read, networks }: Platform, givesWay = false): void {
  if (provided && givesWay) return;
  provided = { wasm, read, networks: new Networks(networks, read) };
}

export function platform(): Provided {
  if (!provided) throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/slim"');
  return provided;
}
