/** The functions every entry exports, over what differs between platforms. */
import { parse } from "../wasm/kinestitch.js";
import { KinestitchClip } from "./clip.js";
import { guarded, throwIfAborted } from "./error.js";
import { bytesOf, type ReadLocation, readInput } from "./input.js";
import { stitchClips } from "./stitch.js";
import type { Clip, InitOptions, Input, LoadOptions, StitchedClip, StitchOptions } from "./types.js";
import { ensureWasm, type WasmLocation } from "./wasm.js";

/** What an entry brings. */
export interface Platform {
  wasm: WasmLocation;
  read: ReadLocation;
}

/** The package's functions. */
export interface Api {
  /** Loads the wasm module, from where you say. Needed only to override that, or to load it early. */
  init(options?: InitOptions): Promise<void>;
  /**
   * Reads a motion from BVH text, bytes, a File or Blob, or a URL. A string is BVH text where it holds a line break or
   * starts with HIERARCHY; else a URL (in Node: or a path).
   */
  load(input: Input, options?: LoadOptions): Promise<Clip>;
  /** Joins two or more clips, in order, into one motion on the first clip's skeleton. */
  stitch(clips: readonly Clip[], options?: StitchOptions): Promise<StitchedClip>;
}

export function createApi(platform: Platform): Api {
  return {
    init: (options) => ensureWasm(platform.wasm, options),

    async load(input, options = {}) {
      const [source] = await Promise.all([readInput(input, options, platform.read), ensureWasm(platform.wasm)]);
      const bytes = await bytesOf(source);
      options.onProgress?.({ stage: "parse", done: 0 });
      throwIfAborted(options.signal);
      const clip = new KinestitchClip(guarded(() => parse(options.name ?? source.name, bytes)));
      options.onProgress?.({ stage: "parse", done: 1 });
      return options.rig ? clip.withRig(options.rig) : clip;
    },

    async stitch(clips, options = {}) {
      await ensureWasm(platform.wasm);
      return stitchClips(clips, options);
    },
  };
}
