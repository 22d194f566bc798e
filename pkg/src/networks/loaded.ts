/** Networks as they are held once they are loaded. */
import type { CpuController, CpuInbetweener, CpuJudge, CpuPeriodic, CpuRefiner } from "../../wasm/live.js";
import { KinestitchError } from "../core/error.js";
import type { SharedWork } from "../core/shared.js";
import type { Device, NetworkInfo, NetworkModel, NetworkTask, TaskOptions } from "../core/types.js";
import { causeOf } from "./device.js";
import type { GpuFiller, GpuHandle } from "./gpu.js";

export interface Loaded {
  model: NetworkModel;
  device: NetworkInfo["device"];
}

/** How a network of a method of `inbetween` is asked for; `device` is of this call alone. */
export type FillingOptions = TaskOptions & { device?: Device };

/** The network of `stitch`. */
export interface Refining extends Loaded {
  cpu: CpuRefiner;
  gpu: GpuHandle | undefined;
}

/** The network of `inbetween`. */
export interface Filling extends Loaded {
  cpu: CpuInbetweener;
  gpu: GpuFiller | undefined;
}

/** The loaded network of each task. */
export interface LoadedFor {
  stitch: Refining;
  inbetween: Filling;
}

/** A network that is not chosen by `loadNetworks`: what needs it loads it. */
export interface Own<Cpu> {
  model: NetworkModel;
  cpu: Cpu;
}

/** The network of a controller, the network of whole-body phases, and the judge of recorded motion. */
export type Steering = Own<CpuController>;
export type Encoding = Own<CpuPeriodic>;
export type Judging = Own<CpuJudge>;

/** A network of a task: being loaded, or loaded. */
export interface Slot {
  loading: SharedWork<Refining | Filling>;
  loaded?: Refining | Filling;
}

/** Goes on without a GPU that failed; any other failure is the caller's. */
export function giveUp(loaded: Refining | Filling, error: unknown): void {
  if (!(error instanceof KinestitchError && error.code === "device")) throw error;
  loaded.gpu = undefined;
  loaded.device = { ...loaded.device, used: "cpu", reason: `WebGPU failed: ${causeOf(error)}` };
}

export const slotOf = (task: NetworkTask, name: string): string => `${task}/${name}`;
