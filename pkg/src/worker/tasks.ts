/** The functions of `kinestitch/worker`: the functions of `kinestitch`, computed in a worker. */
import { checkInitOptions } from "../core/init-options.js";
import { checkOptions, omitTaskOptions, pickTaskOptions } from "../core/options.js";
import { KinestitchError } from "../core/error.js";
import type {
  BestSeamOptions,
  Clip,
  Controller,
  ControllerOptions,
  Cut,
  InbetweenClip,
  InbetweenKey,
  InbetweenOptions,
  InitOptions,
  LoadNetworksOptions,
  LoopedClip,
  LoopOptions,
  LscoreOptions,
  NetworkInfo,
  NetworkInfoOptions,
  NetworkModel,
  PathCut,
  PathOptions,
  ScoredCut,
  SeamMap,
  SeamMapOptions,
  StitchedClip,
  StitchOptions,
  StylesOptions,
  TaskOptions,
} from "../core/types.js";
import { toCloneable, toCloneableSettings } from "./cloneable.js";
import { RemoteController, type ControllerProperties } from "./controller.js";
import { WorkerLink, type WorkerPlatform } from "./link.js";
import type { TaskName, Tasks } from "./protocol.js";
import { SessionPool } from "./session-pool.js";

let link: WorkerLink | undefined;
const sessions = /* @__PURE__ */ new SessionPool();
let platform: WorkerPlatform | undefined;

/** Registers the platform of an entry point; starts nothing. If several are imported, the first one is used. */
export function provideWorker(workerPlatform: WorkerPlatform): void {
  platform ??= workerPlatform;
}

type Args<Name extends TaskName> =
  Parameters<Tasks[Name]["definition"]["run"]> extends [unknown, unknown, ...infer Rest] ? Rest : never;
type Options<Name extends TaskName> = Parameters<Tasks[Name]["definition"]["run"]>[1];
type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
type RemoteTask<Name extends TaskName> = (...args: [...Args<Name>, options?: Options<Name>]) => Promise<Result<Name>>;

/** Creates a function that the worker runs; `argumentCount`: number of its arguments before the options. */
export function createRemoteTask<Name extends TaskName>(
  name: Name,
  argumentCount: Tasks[Name]["definition"]["argumentCount"],
): RemoteTask<Name> {
  const call = async (...args: unknown[]): Promise<unknown> => {
    const { values, task } = splitOptions(name, args[argumentCount]);
    return connect().enqueue({ do: "task", name, args: args.slice(0, argumentCount), options: values }, task);
  };
  return call as RemoteTask<Name>;
}

/** Like {@link createRemoteTask}, for the functions about networks, which do not wait for other requests. */
function createNetworkTask<Name extends TaskName>(name: Name): RemoteTask<Name> {
  return (async (options: LoadNetworksOptions = {}) => {
    const { values, task } = splitOptions(name, options);
    return connect().network(name, await toCloneableSettings(values, requirePlatform()), task);
  }) as unknown as RemoteTask<Name>;
}

/**
 * Starts the worker and loads the wasm module. Call it only to set locations or defaults, or to load early.
 *
 * @example
 * ```js
 * await init({ worker: "/kinestitch/dist/worker-host.js" });
 * ```
 */
export async function init(options?: InitOptions): Promise<void> {
  const { wasm, networks, worker, method } = checkInitOptions(options);
  const script = worker === undefined ? undefined : requirePlatform().resolve(worker);
  const [mainWasm, networkSettings] = await Promise.all([
    toCloneable(wasm, requirePlatform()),
    networks && toCloneableSettings(networks, requirePlatform()),
  ]);
  await connect().init(script, {
    do: "init",
    ...(mainWasm !== undefined && { wasm: mainWasm }),
    ...(networkSettings && { networks: networkSettings }),
    ...(method && { method }),
  });
}

/**
 * Joins two or more clips, in order, into one motion on the first clip's skeleton.
 *
 * @param clips Clips of this entry, or of `kinestitch`.
 * @param options Method, cuts, blends, `signal`, `onProgress`.
 * @returns A clip with `seams`: a report on each seam.
 * @throws {KinestitchError} `too-short`, `rig`, `option`, `weights`, `aborted`.
 * @function
 * @example
 * ```js
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")]);
 * console.log(motion.seams[0].method, await motion.toBvh());
 * ```
 */
export const stitch: (clips: readonly Clip[], options?: StitchOptions) => Promise<StitchedClip> =
  /* @__PURE__ */ createRemoteTask("stitch", 1);
/**
 * Finds a cycle of a motion and closes it into a loop.
 *
 * @param clip A clip of this entry, or of `kinestitch`.
 * @param options Choice of the cycle, method that closes it, in place or not, `signal`, `onProgress`.
 * @returns A clip with `cycle` (its frames of the input) and `travel` (its root motion).
 * @throws {KinestitchError} `too-short`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const walk = await loop(await load("walk.bvh"), { inPlace: true });
 * console.log(walk.cycle, await walk.toBvh());
 * ```
 */
export const loop: (clip: Clip, options?: LoopOptions) => Promise<LoopedClip> = /* @__PURE__ */ createRemoteTask(
  "loop",
  1,
);
/** Returns several results with `candidates`, otherwise one. */
interface RemoteInbetween {
  (keys: readonly InbetweenKey[], options: InbetweenOptions & { candidates: number }): Promise<InbetweenClip[]>;
  (keys: readonly InbetweenKey[], options?: InbetweenOptions & { candidates?: undefined }): Promise<InbetweenClip>;
}

/**
 * Makes the motion between keys: poses or ranges of clips.
 *
 * @param keys Two or more keys, in order.
 * @param options Frames, method, `signal`, `onProgress`.
 * @returns A clip with `gaps`, a report on each gap; with the option `candidates` a list of such clips.
 * @throws {KinestitchError} `option`, `rig`, `weights`, `aborted`.
 * @function
 * @example
 * ```js
 * const walk = await load("walk.bvh");
 * const motion = await inbetween([{ clip: walk, frame: 0 }, { clip: walk, frame: 60 }], { frames: 30 });
 * ```
 */
export const inbetween = /* @__PURE__ */ createRemoteTask("inbetween", 1) as RemoteInbetween;
/**
 * Scores the cut from a frame of `a` to a frame of `b`.
 *
 * @param a The first clip.
 * @param b The second clip.
 * @param options The frames of the cut, and the maximum number of injected frames.
 * @returns The cut, with a score for each number of injected frames.
 * @throws {KinestitchError} `too-short`, `rig`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const cut = await lscore(walk, run, { takeoff: 98, landing: 12 });
 * console.log(cut.inject, cut.score);
 * ```
 */
export const lscore: (a: Clip, b: Clip, options?: LscoreOptions) => Promise<ScoredCut> =
  /* @__PURE__ */ createRemoteTask("lscore", 2);
/**
 * Scores the cut between two paths of points.
 *
 * @param a Points of the first path, [frames × points × 3].
 * @param b Points of the second path.
 * @param options Number of points per frame, take-off, landing.
 * @returns The cut, with the smoothed path through it.
 * @throws {KinestitchError} `too-short`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const cut = await lscorePath(first, second, { points: 1 });
 * console.log(cut.landing, cut.path);
 * ```
 */
export const lscorePath: (a: Float32Array, b: Float32Array, options?: PathOptions) => Promise<PathCut> =
  /* @__PURE__ */ createRemoteTask("lscorePath", 2);
/**
 * Finds the cuts from `a` to `b` with the lowest scores.
 *
 * @param a The first clip.
 * @param b The second clip.
 * @param options Number of cuts, and the duration that may be cut off each clip.
 * @returns Cuts, best first.
 * @throws {KinestitchError} `too-short`, `rig`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const [best] = await bestSeam(walk, run, { maxCut: 0.5 });
 * console.log(best.takeoff, best.landing);
 * ```
 */
export const bestSeam: (a: Clip, b: Clip, options?: BestSeamOptions) => Promise<Cut[]> =
  /* @__PURE__ */ createRemoteTask("bestSeam", 2);
/**
 * Scores every cut from `a` to `b`.
 *
 * @param a The first clip.
 * @param b The second clip.
 * @param options As in {@link bestSeam}; without `maxCut`, every pair of frames is scored.
 * @returns Scores and numbers of injected frames, [take-offs × landings].
 * @throws {KinestitchError} `too-short`, `rig`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const map = await seamMap(walk, run);
 * console.log(map.best[0], map.scores.length);
 * ```
 */
export const seamMap: (a: Clip, b: Clip, options?: SeamMapOptions) => Promise<SeamMap> =
  /* @__PURE__ */ createRemoteTask("seamMap", 2);
/**
 * Loads a network in the worker, concurrently with other work; see `loadNetworks` of `kinestitch`.
 *
 * @param options Task, name, set, device, locations of files, `signal`, `onProgress`.
 * @returns The network, its licence, and its device.
 * @throws {KinestitchError} `weights`, `device`, `fetch`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * import "kinestitch/networks";
 *
 * const { licence, device } = await loadNetworks({ for: "inbetween" });
 * console.log(licence, device.used);
 * ```
 */
export const loadNetworks: (options?: LoadNetworksOptions) => Promise<NetworkInfo> =
  /* @__PURE__ */ createNetworkTask("loadNetworks");
/**
 * Describes the loaded network of a task.
 *
 * @param options The task; default "stitch".
 * @returns The network, or `undefined` if none is loaded.
 * @throws {KinestitchError} `option`, `aborted`.
 * @function
 * @example
 * ```js
 * const info = await networkInfo({ for: "inbetween" });
 * console.log(info?.name, info?.device.used);
 * ```
 */
export const networkInfo: (options?: NetworkInfoOptions) => Promise<NetworkInfo | undefined> =
  /* @__PURE__ */ createNetworkTask("networkInfo");
/**
 * Lists the available networks; see `networkModels` of `kinestitch`.
 *
 * @param options The task (default: all), and the location of the manifest.
 * @returns One entry for each network and set, with licence, data and scores.
 * @throws {KinestitchError} `weights`, `fetch`, `option`, `aborted`.
 * @function
 * @example
 * ```js
 * for (const { name, set, licence } of await networkModels()) console.log(name, set, licence);
 * ```
 */
export const networkModels: (options?: LoadNetworksOptions) => Promise<NetworkModel[]> =
  /* @__PURE__ */ createNetworkTask("networkModels");

/**
 * Returns the names of the styles of the `inbetween` method that has a `style`; loads its network. See `styles` of
 * `kinestitch`.
 *
 * @param options `signal`.
 * @returns Names for the option `style` of this method: `method: { name, style }`.
 * @throws {KinestitchError} `weights`, `fetch`, `aborted`.
 * @function
 * @example
 * ```js
 * console.log(await styles()); // ["walk", "run", "boxing"]
 * ```
 */
export const styles: (options?: StylesOptions) => Promise<string[]> = /* @__PURE__ */ createRemoteTask("styles", 0);
/**
 * Creates a character controlled by user input, in a worker that does not run other functions; several characters
 * share a worker. Call `free` at the end. On a page's own thread, the controller of `kinestitch` steps at once; a step
 * takes a quarter of a millisecond.
 *
 * @example
 * ```js
 * const person = await createController();
 * await person.step({ direction: [0, 1], speed: 1.4 }, 1 / 60);
 * console.log(person.positions); // [joints × 3]
 * ```
 */
export async function createController(options?: ControllerOptions): Promise<Controller> {
  const { values: passedValues, task } = splitOptions("createController", options);
  const { models } = passedValues as ControllerOptions;
  // A worker has another base URL, so the page resolves relative URLs.
  const isUrl = typeof models === "string" || models instanceof URL;
  const values = { ...passedValues, ...(isUrl && { models: requirePlatform().resolve(models) }) };
  const clips = connect();
  await clips.settled();
  const session = sessions.begin(clips);
  try {
    const properties = await session.send({ do: "createController", session: session.id, options: values }, task);
    return new RemoteController(session, clips, properties as ControllerProperties);
  } catch (error) {
    session.end();
    throw error;
  }
}

function requirePlatform(): WorkerPlatform {
  if (!platform) throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch/worker"');
  return platform;
}

/** Returns the link to the worker of this page. @internal */
export function connect(): WorkerLink {
  return (link ??= new WorkerLink(requirePlatform()));
}

/** Splits options into values, which the worker checks, and callbacks. */
function splitOptions(name: string, options: unknown): { values: object; task: TaskOptions } {
  const definedOptions = checkOptions<TaskOptions>(name, undefined, options);
  return { values: omitTaskOptions(definedOptions), task: pickTaskOptions(definedOptions) };
}
