/**
 * Messages between `kinestitch/worker` and its thread. Motions are sent as bytes; the thread keeps recently used
 * motions until the page removes them.
 */
import type { ClipMethod } from "../core/clip.js";
import type { PackedMotion } from "../core/packed.js";
import type { ErrorCode, Method, NetworkOptions, Progress } from "../core/types.js";
import type { NetworksSnapshot } from "../networks/loaded.js";
import type { NetworkUrls } from "../networks/urls.js";
import type * as gltf from "../gltf/tasks.js";
import type * as tasks from "../tasks/index.js";

/**
 * The functions that a worker runs. Live sessions run on the page's own thread, controllers in other workers.
 */
export type Tasks = Omit<typeof tasks, "init" | "liveInbetween" | "livePhases" | "createController">;
/** Name of a function that a worker runs. */
export type TaskName = keyof Tasks;

/** Placeholder of a clip in the arguments of a request and in its result. */
export interface ClipPlaceholder {
  /** The motion, or the id of one that the thread keeps. */
  $clip: PackedMotion | { readonly id: string };
  /** Properties that a result has in addition to the properties of a clip: seams, gaps, warnings. */
  $report: object;
  /** Aligned inputs; only in results of `stitch`. */
  $aligned?: PackedMotion[];
}

/** Returns whether an object is the placeholder of a clip. */
export const isPlaceholder = (value: object): value is ClipPlaceholder => "$clip" in value;

/** Request that sets locations and defaults of a thread, and loads its wasm module. */
export interface Init {
  do: "init";
  wasm?: string | ArrayBuffer | WebAssembly.Module;
  networks?: NetworkOptions;
  method?: Method;
}

/** A request to a thread; `do` is its kind. */
export type Request =
  | Init
  | { do: "task"; name: TaskName; args: unknown[]; options: object }
  | { do: "gltf"; name: GltfName; args: unknown[]; options: object }
  /** `clip` is a placeholder, set by the link. */
  | { do: "clip"; clip: object; method: ClipMethod; args: readonly unknown[] }
  /** Creates a controller; later requests name it by `session`, its number. */
  | { do: "createController"; session: number; options: object }
  | { do: "controllerMethod"; session: number; method: ControllerMethod; args: unknown[] };

/** Functions about glTF files. */
export type GltfTasks = Pick<typeof gltf, "animations" | "animateGlb" | "listAnimations" | "packGlb">;
/** Name of a function about glTF files. */
export type GltfName = keyof GltfTasks;

/** Methods of a controller that run in the thread. */
export const controllerMethods = ["step", "place", "setGround", "coverage", "playing", "record", "clip"] as const;
/** Name of a method of a controller. */
export type ControllerMethod = (typeof controllerMethods)[number];
/** Names of the arrays that a step fills. */
export const STEP_ARRAYS = ["positions", "rotations", "phases", "contacts", "trajectory"] as const;
/** Values of the arrays after a step, copied from the thread. */
export type StepArrays = Record<(typeof STEP_ARRAYS)[number], Float32Array>;

/** The page's answer to a request of the thread for a file: its bytes, or an error. */
export type FileAnswer = { answer: number } & ({ bytes: Uint8Array } | { error: PlainError });

/** Messages from the page to a thread. */
export type ToWorker =
  | FileAnswer
  | { call: number; request: Request }
  | { abort: number }
  | { drop: string[] }
  | { release: number }
  | { networkUrls: NetworkUrls }
  /** The networks of the previous thread. */
  | { networks: NetworksSnapshot };

/** Messages from a thread to the page. */
export type FromWorker =
  | { call: number; progress: Progress }
  /** Requests a file that a document refers to; `fileRequest`: number of the request, which the answer repeats. */
  | { call: number; fileRequest: number; address: string }
  /** Result of a call; `megabytes`: size of the thread's wasm memory. */
  | ({ call: number; result: unknown; megabytes: number } & NetworksAfterCall)
  | ({ call: number; error: PlainError } & NetworksAfterCall);

/** The thread's networks, after a call that may have changed them. */
export interface NetworksAfterCall {
  networks?: NetworksSnapshot;
}

/** A `KinestitchError` in a form that `postMessage` can clone. */
export interface PlainError {
  code: ErrorCode;
  message: string;
  line?: number | undefined;
  column?: number | undefined;
  option?: string | undefined;
  file?: string | undefined;
}

/**
 * Copies plain objects and arrays, at all levels. `replace` is called with each object; it returns a replacement, or
 * `undefined` to copy the object (or, for an instance of a class, to keep it).
 */
export function replaceObjects(value: unknown, replace: (value: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const replacement = replace(value);
  if (replacement !== undefined) return replacement;
  if (Array.isArray(value)) return Array.from(value as unknown[], (item) => replaceObjects(item, replace));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceObjects(item, replace)]));
}
