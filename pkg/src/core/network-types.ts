import { type NetworkMethodName, defaultNetwork } from "./generated/methods.js";
import type { TaskOptions } from "./task-types.js";

/**
 * Names of the devices of networks; "auto" measures both and uses the faster. Of the networks for "inbetween" only
 * those that make a complete gap at once support "webgpu", and only if requested: "auto" uses the CPU, which is
 * faster for small inputs.
 */
export const devices = ["auto", "webgpu", "cpu"] as const;
/** Name of a device that networks run on. */
export type Device = (typeof devices)[number];

/**
 * Purposes of networks: "stitch" refines the motion around seams; "inbetween" fills gaps between keys; "control"
 * moves a character by user input, and is loaded by `createController`; "phases" gives the phases of a whole body,
 * and is loaded by `livePhases`; "judge" scores the naturalness of motions, and is loaded when "auto" first compares.
 */
export const networkTasks = ["stitch", "inbetween", "control", "phases", "judge"] as const;
/** Name of a task that a network is for. */
export type NetworkTask = (typeof networkTasks)[number];

/** The default network of each task. */
export const defaultNetworks = { stitch: "rmr", inbetween: defaultNetwork } as const;

/** Name of the training data. Editors suggest the sets of this package; a folder of your own may have others. */
export type NetworkSet = "open" | "research" | (string & {});
/** Name of a network for `loadNetworks`. Editors suggest the networks of this package. */
export type NetworkName = "rmr" | NetworkMethodName | (string & {});

/**
 * Name of a style. Editors suggest the styles of this package's networks; `styles()` and a controller's `styles`
 * return the styles of one network.
 */
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

/** Choice of network and device, and location of files. Omitted options keep their values. */
export interface NetworkOptions {
  /** Default "auto". */
  device?: Device;
  /** Training data: a `set` of the manifest. Default: "open" if there is one, else the first. Mind its licence. */
  set?: NetworkSet;
  /**
   * Folder of `manifest.json` and the weights; default: the files of `kinestitch/networks`, in Node the files of this
   * package.
   */
  models?: URL | string;
  /**
   * The WebGPU module, loaded only if there is a GPU; default: `wasm/networks_bg.wasm` of this package, located
   * like `models`.
   */
  wasm?: URL | string | Response | ArrayBuffer | WebAssembly.Module;
  /** Its script; default: `networks.js` beside it. */
  script?: URL | string;
}

/** Options of `loadNetworks` and `networkModels`. */
export interface LoadNetworksOptions extends NetworkOptions, TaskOptions {
  /** Task of the network; default "stitch". */
  for?: NetworkTask;
  /**
   * Name of the network, for tasks with several: for "inbetween" one of `networkMethods`, by default `defaultNetwork`.
   * With a name, `set` applies to this network only.
   */
  name?: NetworkName;
}

/** Options of `networkInfo`. */
export interface NetworkInfoOptions extends TaskOptions {
  /** Task of the network; default "stitch". */
  for?: NetworkTask;
  /**
   * Name of the network, for tasks with several: for "inbetween" one of `networkMethods`, by default `defaultNetwork`.
   */
  name?: NetworkName;
}

/** A file of a network. */
export interface NetworkFile {
  /** Its role: "weights", or the "gallery" of recorded paths. */
  role: string;
  /** File name in `models/`. */
  name: string;
  /** Size of the file. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** Value of a measure: a number, one per gap length, several by name, or text such as "2 of 40". */
export type NetworkScore = number | string | readonly number[] | Readonly<Record<string, number>>;

/** An entry of models/manifest.json. */
export interface NetworkModel {
  /** Name of the network, such as "rmr". */
  name: string;
  /** Task of the network. */
  for: NetworkTask;
  /** Character that the network moves; only for "control". */
  character?: string;
  /** Training data: "open" for any use, "research" for non-commercial use. */
  set: string;
  /** Permitted use of the weights, in words. */
  licence: string;
  /** Recordings it was trained on. */
  data: { name: string; licence: string }[];
  /** Its weights, and other files it needs. */
  files: NetworkFile[];
  /** Version of its row layout. */
  layout: number;
  /** Test → method → measure → value. */
  scores: Record<string, Record<string, Record<string, NetworkScore>>>;
}

/** A loaded network with its device. */
export interface NetworkInfo extends NetworkModel {
  /** The requested device, and the device in use. */
  device: {
    asked: Device;
    used: Exclude<Device, "auto">;
    /** The reason, in one sentence. */
    reason: string;
    /** Duration of a warm pass over 60 frames, milliseconds; absent if not measured. */
    cpuMilliseconds?: number;
    webgpuMilliseconds?: number;
  };
}
