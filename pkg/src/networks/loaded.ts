/** Types of loaded networks. */
import type { CpuController, CpuInbetweener, CpuJudge, CpuPeriodic, CpuRefiner } from "../../wasm/kinestitch.js";
import { KinestitchError } from "../core/error.js";
import type { SharedWork } from "../core/shared.js";
import type { Device, NetworkInfo, NetworkModel, NetworkOptions, NetworkTask, TaskOptions } from "../core/types.js";
import { causeOf } from "./device.js";
import type { GpuFiller, GpuRefiner } from "./gpu.js";
import type { OnDemandOptions } from "./network-settings.js";

/** A loaded network and its device. */
export interface LoadedNetwork {
  model: NetworkModel;
  device: NetworkInfo["device"];
}

/** Options for loading the network of a method of `inbetween`; `device` applies to one call. */
export type FillerOptions = TaskOptions & { device?: Device };

/** A network that refines seams; `gpu` is absent if it runs on the CPU. */
export interface RefinerNetwork extends LoadedNetwork {
  cpu: CpuRefiner;
  gpu: GpuRefiner | undefined;
}

/** A network that fills gaps; `gpu` is absent if it runs on the CPU. */
export interface FillerNetwork extends LoadedNetwork {
  cpu: CpuInbetweener;
  gpu: GpuFiller | undefined;
}

/** The loaded network of each task. */
export interface LoadedNetworks {
  stitch: RefinerNetwork;
  inbetween: FillerNetwork;
}

/** A network that runs only on the CPU; the function that needs it loads it. */
export interface OnDemandNetwork<Cpu> {
  model: NetworkModel;
  cpu: Cpu;
}

/** The network of a controller. */
export type ControllerNetwork = OnDemandNetwork<CpuController>;
/** The network of whole-body phases. */
export type PhaseNetwork = OnDemandNetwork<CpuPeriodic>;
/** The judge of naturalness. */
export type JudgeNetwork = OnDemandNetwork<CpuJudge>;

/** A network that is being loaded, that is loaded, or that was loaded before a restart. */
export interface Slot {
  /** Absent after a restart, until the network is needed. */
  loading?: SharedWork<RefinerNetwork | FillerNetwork>;
  loaded?: RefinerNetwork | FillerNetwork;
  /** The network before a restart; describes it until it is loaded again. */
  lost?: LoadedNetwork;
}

/** Folder and set by which a judge is chosen. */
export type JudgeChoice = { readonly [Name in "models" | "set"]: NetworkOptions[Name] | undefined };

/** The judge that `loadNetworks` has loaded, without its weights. */
export interface LoadedJudge {
  options: OnDemandOptions;
  info: NetworkInfo;
  choice: JudgeChoice;
}

/** The networks of a thread, without weights and settings: a restarted thread loads them again when they are needed. */
export interface NetworksSnapshot {
  /** Networks that `loadNetworks` has loaded, by slot key; the set, if it applies to this network only. */
  preloaded: Map<string, string | undefined>;
  /** Loaded networks, by slot key. */
  loaded: Map<string, LoadedNetwork>;
  judge: LoadedJudge | undefined;
}

/** Switches a network to the CPU after an error of the GPU; throws all other errors. */
export function fallBackToCpu(loaded: RefinerNetwork | FillerNetwork, error: unknown): void {
  if (!(error instanceof KinestitchError && error.code === "device")) throw error;
  loaded.gpu = undefined;
  loaded.device = { ...loaded.device, used: "cpu", reason: `WebGPU failed: ${causeOf(error)}` };
}

/** Returns the key of the slot of a network. `device`: the device of a single call, which has its own slot. */
export const slotKey = (task: NetworkTask, name: string, device?: Device): string =>
  `${task}/${name}${device ? `@${device}` : ""}`;

/** Returns whether `key` is the key of a network's slot, or of one of its slots for a device of a single call. */
export const isKeyOf = (slot: string, key: string): boolean => key === slot || key.startsWith(`${slot}@`);
