/** Messages between `kinestitch/worker` and the thread that computes. Clips go by number. */
import type { BestSeamOptions, ClipCurves, ClipInfo, ErrorCode, InbetweenClip, InbetweenKey, InbetweenOptions, LoadOptions, LscoreOptions, NetworkInfo, NetworkModel, NetworkOptions, Progress, RigEdits, ScoredCut, SeamMap, SeamMapOptions, Cut, StitchedClip, StitchOptions } from "./types.js";

/** Number of a clip, given by the page's side. */
export type ClipId = number;

/** Options that are values; callbacks and signals stay on the page's side. */
export type Plain<Options> = Omit<Options, "signal" | "onProgress">;

/** How a clip is made; enough to make it again in a fresh worker. */
export type Recipe =
  | { make: "load"; file: Blob; options: Plain<LoadOptions> }
  | { make: "stitch"; clips: ClipId[]; options: Plain<StitchOptions> }
  | { make: "inbetween"; keys: InbetweenKey<ClipId>[]; options: Plain<InbetweenOptions> }
  | { make: "resample"; of: ClipId; fps: number }
  | { make: "withRig"; of: ClipId; rig: RigEdits }
  | { make: "aligned"; of: ClipId; index: number };

/** What is known of a clip without asking. */
export interface Summary {
  name: string;
  frames: number;
  fps: number;
  kind: ClipInfo["kind"];
  /** Results of `stitch` only. */
  stitched?: Pick<StitchedClip, "seams" | "warnings" | "milliseconds" | "starts">;
  /** Results of `inbetween` only. */
  inbetween?: Pick<InbetweenClip, "keys" | "gaps" | "warnings" | "milliseconds">;
}

/** Methods that read a clip. */
export interface Reads {
  info: ClipInfo;
  positions: Float32Array;
  rotations: Float32Array;
  curves: ClipCurves;
  toBvh: string;
  toGlb: Uint8Array;
}

/** Questions about the cut from one clip to another: options and answer. */
export interface Questions {
  lscore: [LscoreOptions, ScoredCut];
  bestSeam: [BestSeamOptions, Cut[]];
  seamMap: [SeamMapOptions, SeamMap];
}

/** Requests about networks, all with the options of `loadNetworks`: answer. */
export interface NetworkRequests {
  loadNetworks: NetworkInfo;
  networkInfo: NetworkInfo | undefined;
  networkModels: NetworkModel[];
}

export type Request =
  | { do: "init"; wasm?: string | ArrayBuffer | WebAssembly.Module | undefined; networks?: NetworkOptions | undefined }
  | { do: "make"; id: ClipId; recipe: Recipe }
  | { do: "read"; id: ClipId; method: keyof Reads }
  | { do: "ask"; question: keyof Questions; clips: [ClipId, ClipId]; options: Plain<Questions[keyof Questions][0]> }
  | { do: keyof NetworkRequests; options: NetworkOptions };

export type ToWorker = { call: number; request: Request } | { free: ClipId } | { abort: number };

export type FromWorker =
  | { call: number; progress: Progress }
  | { call: number; result: unknown }
  | { call: number; error: { code: ErrorCode; message: string; line?: number | undefined; column?: number | undefined } };
