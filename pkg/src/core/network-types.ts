import { type NetworkMethodName, defaultNetwork } from "../generated/methods.js";
import type { TaskOptions } from "./task-types.js";

/**
 * Names of the devices of networks; "auto" measures both devices and uses the faster one. Of the networks for
 * "inbetween", only networks that fill a complete gap in one pass support "webgpu", and only if it is requested: "auto"
 * uses the CPU, which is faster for small inputs.
 */
export const devices = ["auto", "webgpu", "cpu"] as const;
/** Name of a device that networks run on. */
export type Device = (typeof devices)[number];

/**
 * Tasks of networks: "stitch" refines the motion around seams; "inbetween" fills gaps between keys; "control" moves a
 * character by user input, and is loaded by `createController`; "phases" computes the phases of a whole body, and is
 * loaded by `livePhases`; "judge" scores the naturalness of motions, and is loaded when "auto" first compares motions.
 */
export const networkTasks = ["stitch", "inbetween", "control", "phases", "judge"] as const;
/** Task of a network: one of {@link networkTasks}. */
export type NetworkTask = (typeof networkTasks)[number];

/** The default network of each task. */
export const defaultNetworks = { stitch: "rmr", inbetween: defaultNetwork } as const;

/** Name of a set of weights. Editors suggest the known sets; your own folder may have other sets. */
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
  | "dribbling"
  | "carrying"
  | "skipping"
  | (string & {});

/** Choice of network and device, and URLs of files. An omitted option keeps its value. */
export interface NetworkOptions {
  /** Device that networks run on; default "auto". */
  device?: Device;
  /**
   * Name of the set of weights: a `set` of the manifest. Default: "open" if listed, else the first set. Observe the
   * licence of the set.
   */
  set?: NetworkSet;
  /**
   * Folder of `manifest.json` and the weights; default: the files of `kinestitch/networks`, in Node the files of this
   * package.
   */
  models?: URL | string;
  /**
   * The WebGPU module, loaded only if there is a GPU; default: `wasm/networks_bg.wasm` of this package, registered by
   * `kinestitch/networks`.
   */
  wasm?: URL | string | Response | ArrayBuffer | WebAssembly.Module;
  /** Script of the WebGPU module; default: `networks.js` in the folder of the module. */
  script?: URL | string;
}

/** Options of `loadNetworks` and `networkModels`. */
export interface LoadNetworksOptions extends NetworkOptions, TaskOptions {
  /** Task of the network; default "stitch"; of `networkModels`: all tasks. */
  for?: NetworkTask;
  /**
   * Name of the network, for tasks with several: for "inbetween" one of `networkMethods`, by default `defaultNetwork`.
   * With a name, and for the judge, `set` applies to this network only; otherwise to all networks.
   */
  name?: NetworkName;
}

/** Options of `networkInfo`. */
export interface NetworkInfoOptions extends TaskOptions {
  /**
   * Task of the network: "stitch" (default), "inbetween", or "judge" for the judge that `loadNetworks` has loaded. For
   * "control" and "phases" the result is `undefined`; results of `createController` and `livePhases` have `licence`.
   */
  for?: NetworkTask;
  /**
   * Name of the network, for tasks with several: for "inbetween" one of `networkMethods`, by default `defaultNetwork`.
   */
  name?: NetworkName;
}

/** A file of a network. */
export interface NetworkFile {
  /** Role of the file: "weights", or "gallery" for recorded paths. */
  role: string;
  /** File name in `models/`. */
  name: string;
  /** Size of the file. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** Score of a measure: a number, a list (one number per gap length), numbers by name, or text such as "2 of 40". */
export type NetworkScore = number | string | readonly number[] | Readonly<Record<string, number>>;

/** An entry of models/manifest.json. */
export interface NetworkModel {
  /** Name of the network, such as "rmr". */
  name: string;
  /** Task of the network. */
  for: NetworkTask;
  /** Character that the network moves; only for "control". */
  character?: string;
  /** Name of the set of weights: "open" for any use, "research" for non-commercial use. */
  set: string;
  /** Licence of the weights, as text for people. */
  licence: string;
  /** Recordings that the network was trained on. */
  data: { name: string; licence: string }[];
  /** Weights, and other files that the network needs. */
  files: NetworkFile[];
  /** Version of the layout of the network's columns. */
  layout: number;
  /**
   * Scores by test, method and measure: `scores[test][method][measure]`. In a test with a single method,
   * `scores[test][measure]`.
   */
  scores: Record<string, Record<string, NetworkScore | Record<string, NetworkScore>>>;
}

/** A loaded network with its device. */
export interface NetworkInfo extends NetworkModel {
  /** The requested device (`asked`), and the device in use (`used`). */
  device: {
    asked: Device;
    used: Exclude<Device, "auto">;
    /** Reason for the device in use, in one sentence. */
    reason: string;
    /** Duration of the second pass over 60 frames on the CPU, milliseconds; absent if not measured. */
    cpuMilliseconds?: number;
    /** The same duration with WebGPU, milliseconds; absent if not measured. */
    webgpuMilliseconds?: number;
  };
}
