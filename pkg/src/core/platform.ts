/** What differs between browsers, Node and bundles without files: each entry brings its own when it is imported. */
import type * as script from "../../wasm/kinestitch.js";
import type { Networks } from "../networks/networks.js";
import { KinestitchError } from "./error.js";
import type { ReadLocation } from "./input.js";
import type { Method } from "./types.js";
import type { WasmModule } from "./wasm.js";

/** What reading and showing a motion need of a wasm module: what the light and the small one have. */
export interface ClipModule extends WasmModule, Pick<typeof script, "ClipHandle" | "BvhReader"> {}

/** What an entry brings. */
export interface Platform {
  light: ClipModule;
  live: WasmModule;
  read: ReadLocation;
  /** The networks, of which there is one set a thread. */
  networks(): Networks;
  /** What `init` said that `stitch` shall take where a call names no method. */
  method?: Method;
}

let provided: Platform | undefined;

/** Takes what an entry brings. One that knows no files (`slim`) gives way to one that does. */
export function provide(platform: Platform, givesWay = false): void {
  if (provided && givesWay) return;
  provided = platform;
}

export function platform(): Platform {
  if (!provided)
    throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/slim"');
  return provided;
}
