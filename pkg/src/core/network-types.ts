import type { TaskOptions } from "./types.js";

/**
 * Names of the devices networks run on; "auto" measures both and takes the faster. Of the networks for "inbetween" only "delta" runs on
 * "webgpu", and there where it is asked for: "auto" is the CPU, whose answer to so little is there before a GPU's.
 */
export const devices = ["auto", "webgpu", "cpu"] as const;
/** Name of a device that networks run on. */
export type Device = (typeof devices)[number];

/**
 * What networks are for: "stitch" refines the steps around seams, "inbetween" fills gaps between keys, "control" moves a
 * character that one steers, and is loaded by `createController`; "phases" says where a whole body is in its cycles, and is loaded by
 * `livePhases`; "judge" says how far a motion is from recorded motion, and is loaded beside the
 * networks that "auto" tries, or by `loadNetworks({ for: "judge" })`: then "auto" compares the plain ways by it, too.
 */
export const networkTasks = ["stitch", "inbetween", "control", "phases", "judge"] as const;
/** Name of a task that a network is for. */
export type NetworkTask = (typeof networkTasks)[number];

/** The network of a task that is meant where none is named. */
export const usualNetworks = { stitch: "rmr", inbetween: "delta" } as const;

/** Which training data; those of this package are named, a folder of your own may have others. */
export type NetworkSet = "open" | "research" | (string & {});
/** Name of a network that `loadNetworks` loads; those of this package are named. */
export type NetworkName = "rmr" | "delta" | "manifold" | "dcmoe" | (string & {});

/** A way to move: what networks of this package know is named; `styles()` and `styles` of a controller list what one knows. */
export type StyleName =
  | "normal"
  | "active"
  | "elderly"
  | "exhausted"
  | "feminine"
  | "masculine"
  | "youthful"
  | "walk"
  | "run"
  | "boxing"
  | (string & {});

/** Which network runs where, and where its files lie. What is left out stays as it was. */
export interface NetworkOptions {
  /** Default "auto". */
  device?: Device;
  /** Which training data: a `set` of the manifest. Default: "open" where there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /** Folder of `manifest.json` and the weights; default: those that `kinestitch/networks` brings, in Node those of this package. */
  models?: URL | string;
  /** The WebGPU module, fetched only where there is a GPU; default: `wasm/networks_bg.wasm` of this package, as `models`. */
  wasm?: URL | string | Response | ArrayBuffer | WebAssembly.Module;
  /** Its script; default: `networks.js` beside it. */
  script?: URL | string;
}

/** Options of `loadNetworks` and `networkModels`. */
export interface LoadNetworksOptions extends NetworkOptions, TaskOptions {
  /** What the network is for. `loadNetworks` takes "stitch" where it is left out, `networkModels` lists all. */
  for?: NetworkTask;
  /** Name of the network, where a task has several: "delta" (default), "manifold" or "dcmoe" of "inbetween". With it, `set` is this network's alone. */
  name?: NetworkName;
}

/** Options of `networkInfo`. */
export interface NetworkInfoOptions extends TaskOptions {
  /** What the network is for; default "stitch". */
  for?: NetworkTask;
  /** Name of the network, where a task has several: "delta" (default), "manifold" or "dcmoe" of "inbetween". */
  name?: NetworkName;
}

/** A file of a network. */
export interface NetworkFile {
  /** What it is to the network: "weights", or the "gallery" of ways that it follows. */
  role: string;
  /** Its name in `models/`. */
  name: string;
  /** Size of the file. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** Value of a measure: a number, one for each length of gap, several by their names, or words such as "2 of 40". */
export type NetworkScore = number | string | readonly number[] | Readonly<Record<string, number>>;

/** One network as models/manifest.json describes it. */
export interface NetworkModel {
  /** Name of the network: "rmr". */
  name: string;
  /** The task it is for. */
  for: NetworkTask;
  /** The body it moves, where it is for "control". */
  character?: string;
  /** Which training data: "open" may be used for anything, "research" not commercially. */
  set: string;
  /** What the weights may be used for, in words for people. */
  licence: string;
  /** Recordings it was trained on. */
  data: { name: string; licence: string }[];
  /** Its weights, and other files it needs. */
  files: NetworkFile[];
  /** Version of the rows it reads. */
  layout: number;
  /** Test → method → measure → value. */
  scores: Record<string, Record<string, Record<string, NetworkScore>>>;
}

/** A loaded network, and where it runs. */
export interface NetworkInfo extends NetworkModel {
  /** The device that was asked for, and the one that is used. */
  device: {
    asked: Device;
    used: Exclude<Device, "auto">;
    /** Why, in one sentence for people. */
    reason: string;
    /** A warm pass over 60 frames; absent where it was not measured. */
    cpuMilliseconds?: number;
    webgpuMilliseconds?: number;
  };
}
