/**
 * Messages between `kinestitch/worker` and its thread. Motions are sent as bytes; the thread keeps recently used
 * ones until the page removes them.
 */
import type { PackedMotion } from "../core/packed.js";
import type { ErrorCode, Method, NetworkOptions, Progress } from "../core/types.js";
import type { NetworkPlaces } from "../networks/places.js";
import type * as gltf from "../gltf/tasks.js";
import type * as tasks from "../tasks/index.js";

/**
 * The functions that a worker runs. Live in-betweening runs on the page's own thread, controllers in threads of
 * their own.
 */
export type Tasks = Omit<typeof tasks, "init" | "liveInbetween" | "livePhases" | "createController">;
/** Name of a function that a worker runs. */
export type TaskName = keyof Tasks;

/** Placeholder of a clip among arguments and in results. */
export interface Sent {
  /** The motion, or the id of one that the thread keeps. */
  $clip: PackedMotion | { readonly id: string };
  /** Report of a result: seams, gaps, warnings. */
  $report: object;
  /** Results of `stitch` only. */
  $aligned?: PackedMotion[];
}

/** Whether an object is the placeholder of a clip. */
export const isSent = (value: object): value is Sent => "$clip" in value;

/** Methods of a clip. */
export const clipMethods = [
  "info",
  "positions",
  "rotations",
  "curves",
  "phases",
  "naturalness",
  "toBvh",
  "toGlb",
  "resample",
  "withRig",
  "inPlace",
  "retarget",
  "slice",
  "reverse",
  "mirror",
  "timeScale",
  "at",
  "concat",
  "rootMotion",
  "rootMotionFromFeet",
] as const;
/** Name of a method of a clip. */
export type ClipMethod = (typeof clipMethods)[number];

/** Sets locations and defaults of a thread, and loads its light module. */
export interface Init {
  do: "init";
  wasm?: string | ArrayBuffer | WebAssembly.Module;
  live?: string | ArrayBuffer | WebAssembly.Module;
  networks?: NetworkOptions;
  method?: Method;
}

/** A request to a thread; `do` is its kind. */
export type Request =
  | Init
  | { do: "task"; name: TaskName; args: unknown[]; options: object }
  | { do: "gltf"; name: GltfName; args: unknown[]; options: object }
  /** `clip` is a placeholder, set by the link. */
  | { do: "clip"; clip: object; method: ClipMethod; args: unknown[] }
  /** Starts a controller session; `session` is its number from then on. */
  | { do: "steer"; session: number; options: object }
  | { do: "steered"; session: number; method: SteeringMethod; args: unknown[] };

/** Functions about glTF files. */
export type GltfTasks = Pick<typeof gltf, "animations" | "animateGlb" | "packGlb">;
/** Name of a function about glTF files. */
export type GltfName = keyof GltfTasks;

/** Methods of a controller that run in the thread. */
export const steeringMethods = ["step", "place", "setGround", "record", "clip"] as const;
/** Name of a method of a controller. */
export type SteeringMethod = (typeof steeringMethods)[number];
/** Arrays that a step fills. */
export const STEERED = ["positions", "rotations", "phases", "contacts", "trajectory"] as const;
/** Arrays of a step, copied from the thread. */
export type Steered = Record<(typeof STEERED)[number], Float32Array>;

/** The page's answer to the thread's request for a file of a document: its bytes, or an error. */
export type Answer = { answer: number } & ({ bytes: Uint8Array } | { error: PlainError });

/** Messages from the page to a thread. */
export type ToWorker =
  | Answer
  | { call: number; request: Request }
  | { abort: number }
  | { drop: string[] }
  | { release: number }
  | { places: NetworkPlaces };

/** Messages from a thread to the page. */
export type FromWorker =
  | { call: number; progress: Progress }
  /** Requests a file that a document refers to; `ask` is the number of the request. */
  | { call: number; ask: number; address: string }
  /** With the size of the thread's wasm memory. */
  | { call: number; result: unknown; megabytes: number }
  | { call: number; error: PlainError };

/** A `KinestitchError` in a form that `postMessage` can clone. */
export interface PlainError {
  code: ErrorCode;
  message: string;
  line?: number | undefined;
  column?: number | undefined;
  option?: string | undefined;
}

/** A copy of a plain value with some parts replaced by `swap`. */
export function mapped(value: unknown, swap: (part: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const swapped = swap(value);
  if (swapped !== undefined) return swapped;
  if (Array.isArray(value)) return Array.from(value as unknown[], (part) => mapped(part, swap));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapped(part, swap)]));
}
