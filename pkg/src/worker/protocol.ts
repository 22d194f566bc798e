/**
 * Messages between `kinestitch/worker` and the thread that computes. Motions travel as bytes; of those used last the thread keeps
 * some, and the page says which it lets go.
 */
import type { Packed } from "../core/packed.js";
import type { ErrorCode, Method, NetworkOptions, Progress } from "../core/types.js";
import type { NetworkPlaces } from "../networks/places.js";
import type * as gltf from "../gltf/tasks.js";
import type * as tasks from "../tasks/index.js";

/** The functions that a worker runs. Keys that are dragged are on their page's own thread, a character that is steered in one of its own. */
export type Tasks = Omit<typeof tasks, "init" | "liveInbetween" | "livePhases" | "createController">;
export type TaskName = keyof Tasks;

/** Stands for a clip among arguments and in results. */
export interface Sent {
  /** The motion, or the id of one that the thread keeps. */
  $clip: Packed | { readonly id: string };
  /** What a result tells besides: seams, gaps, warnings. */
  $report: object;
  /** Results of `stitch` only. */
  $aligned?: Packed[];
}

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
] as const;
export type ClipMethod = (typeof clipMethods)[number];

export interface Init {
  do: "init";
  wasm?: string | ArrayBuffer | WebAssembly.Module;
  live?: string | ArrayBuffer | WebAssembly.Module;
  networks?: NetworkOptions;
  method?: Method;
}

export type Request =
  | Init
  | { do: "task"; name: TaskName; args: unknown[]; options: object }
  | { do: "gltf"; name: GltfName; args: unknown[]; options: object }
  /** `clip` is what stands for one, put there by the link. */
  | { do: "clip"; clip: object; method: ClipMethod; args: unknown[] }
  /** Begins a session of steering; `session` is its number from then on. */
  | { do: "steer"; session: number; options: object }
  | { do: "steered"; session: number; method: SteeringMethod; args: unknown[] };

/** Functions about glTF files. */
export type GltfTasks = Pick<typeof gltf, "animations" | "animateGlb" | "packGlb">;
export type GltfName = keyof GltfTasks;

/** Methods of a controller that the thread runs. */
export const steeringMethods = ["step", "place", "record", "clip"] as const;
export type SteeringMethod = (typeof steeringMethods)[number];
/** Arrays that a step fills. */
export const STEERED = ["positions", "rotations", "phases", "contacts", "trajectory"] as const;
export type Steered = Record<(typeof STEERED)[number], Float32Array>;

/** The page's answer to a question of the thread: the bytes of a file that a document names, or why there are none. */
export type Answer = { answer: number } & ({ bytes: Uint8Array } | { error: PlainError });

export type ToWorker =
  | Answer
  | { call: number; request: Request }
  | { abort: number }
  | { drop: string[] }
  | { release: number }
  | { places: NetworkPlaces };

export type FromWorker =
  | { call: number; progress: Progress }
  /** Asks for a file that a document names; `ask` numbers the question. */
  | { call: number; ask: number; address: string }
  /** With the size of the thread's wasm memory. */
  | { call: number; result: unknown; megabytes: number }
  | { call: number; error: PlainError };

/** A `KinestitchError` as `postMessage` takes it. */
export interface PlainError {
  code: ErrorCode;
  message: string;
  line?: number | undefined;
  column?: number | undefined;
  option?: string | undefined;
}

/** A value whose parts are plain, with `swap` put in place of some of them. */
export function mapped(value: unknown, swap: (part: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const swapped = swap(value);
  if (swapped !== undefined) return swapped;
  if (Array.isArray(value)) return Array.from(value as unknown[], (part) => mapped(part, swap));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapped(part, swap)]));
}
