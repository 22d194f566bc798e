/** The functions and clips of `kinestitch/worker`, over a {@link WorkerLink}. */
import { KinestitchError } from "./error.js";
import { readInput } from "./input.js";
import type { ClipId, NetworkRequests, Questions, Recipe, Summary } from "./protocol.js";
import type {
  BestSeamOptions,
  CallOptions,
  ClipCurves,
  ClipInfo,
  Cut,
  Gap,
  InbetweenKey,
  InbetweenOptions,
  InitOptions,
  Input,
  LoadNetworksOptions,
  LoadOptions,
  LscoreOptions,
  NetworkInfo,
  NetworkModel,
  NetworkOptions,
  RigEdits,
  ScoredCut,
  Seam,
  SeamMap,
  SeamMapOptions,
  StitchOptions,
  WorkerClip,
  WorkerInbetweenClip,
  WorkerInitOptions,
  WorkerStitchedClip,
} from "./types.js";
import { type Entry, WorkerLink, type WorkerPlatform } from "./worker-link.js";

/** The functions of `kinestitch/worker`. */
export interface WorkerApi {
  /** Starts the worker and loads the wasm module. Needed only to say where they lie, or to load them early. */
  init(options?: WorkerInitOptions): Promise<void>;
  /** Reads a motion; see `load` of `kinestitch`. */
  load(input: Input, options?: LoadOptions): Promise<WorkerClip>;
  /** Joins two or more clips; see `stitch` of `kinestitch`. */
  stitch(clips: readonly WorkerClip[], options?: StitchOptions): Promise<WorkerStitchedClip>;
  /** Makes the motion between keys; see `inbetween` of `kinestitch`. */
  inbetween(keys: readonly InbetweenKey<WorkerClip>[], options?: InbetweenOptions): Promise<WorkerInbetweenClip>;
  /** Scores the cut from a frame of `a` to a frame of `b`; see `lscore` of `kinestitch`. */
  lscore(a: WorkerClip, b: WorkerClip, options?: LscoreOptions): Promise<ScoredCut>;
  /** The cheapest cuts from `a` to `b`; see `bestSeam` of `kinestitch`. */
  bestSeam(a: WorkerClip, b: WorkerClip, options?: BestSeamOptions): Promise<Cut[]>;
  /** Scores every cut from `a` to `b`; see `seamMap` of `kinestitch`. */
  seamMap(a: WorkerClip, b: WorkerClip, options?: SeamMapOptions): Promise<SeamMap>;
  /** Loads the networks in the worker, while it goes on with other work; see `loadNetworks` of `kinestitch`. */
  loadNetworks(options?: LoadNetworksOptions): Promise<NetworkInfo>;
  /** The loaded network; see `networkInfo` of `kinestitch`. */
  networkInfo(): Promise<NetworkInfo | undefined>;
  /** The networks there are; see `networkModels` of `kinestitch`. */
  networkModels(options?: LoadNetworksOptions): Promise<NetworkModel[]>;
}

export function createWorkerApi(platform: WorkerPlatform): WorkerApi {
  let link: WorkerLink | undefined;
  const connect = (): WorkerLink => (link ??= new WorkerLink(platform));
  const ask = async <Q extends keyof Questions>(question: Q, a: WorkerClip, b: WorkerClip, options: Questions[Q][0]) => {
    const pair: [Entry, Entry] = [RemoteClip.entryOf(a, "the first clip"), RemoteClip.entryOf(b, "the second clip")];
    return connect().ask(question, pair, options);
  };
  const network = async <N extends keyof NetworkRequests>(name: N, { signal, onProgress, ...options }: LoadNetworksOptions) =>
    connect().network(name, { ...(await settings(options, platform)), ...(signal && { signal }), ...(onProgress && { onProgress }) });

  return {
    async init({ wasm, networks, worker } = {}) {
      const script = worker === undefined ? undefined : platform.resolve(worker);
      const [own, theirs] = await Promise.all([cloneable(wasm, platform), networks && settings(networks, platform)]);
      await connect().init(script, { do: "init", wasm: own, networks: theirs });
    },

    async load(input, { name, rig, ...task } = {}) {
      const source = await readInput(input, task, platform.read);
      const file = source.file instanceof Blob ? source.file : new Blob([source.file as Uint8Array<ArrayBuffer>]);
      const options = { name: name ?? source.name, ...(rig && { rig }) };
      const { entry, summary } = await connect().make({ make: "load", file, options }, [], task);
      return new RemoteClip(connect(), entry, summary);
    },

    async stitch(clips, { signal, onProgress, ...options } = {}) {
      if (!Array.isArray(clips)) throw new KinestitchError("option", "stitch takes an array of clips");
      const needs = clips.map((clip, index) => RemoteClip.entryOf(clip, `clip ${index}`));
      // Settled here and now, so that a result that is made again is the same.
      const method = options.method ?? (connect().hasNetworks && clips.every(RemoteClip.isBiped) ? "rmr" : "inertialize");
      const recipe = { make: "stitch", clips: needs.map((need) => need.id), options: { ...options, method } } as const;
      const task = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
      const { entry, summary } = await connect().make(recipe, needs, task);
      return new RemoteStitched(connect(), entry, summary);
    },

    async inbetween(keys, { signal, onProgress, ...options } = {}) {
      if (!Array.isArray(keys)) throw new KinestitchError("option", "inbetween takes an array of keys");
      const needs = keys.map(({ clip }, index) => RemoteClip.entryOf(clip, `the clip of key ${index}`));
      const numbered = keys.map((key, index) => ({ ...key, clip: (needs[index] as Entry).id }));
      const task = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
      const { entry, summary } = await connect().make({ make: "inbetween", keys: numbered, options }, [...new Set(needs)], task);
      return new RemoteInbetween(connect(), entry, summary);
    },

    lscore: (a, b, options = {}) => ask("lscore", a, b, options),
    bestSeam: (a, b, options = {}) => ask("bestSeam", a, b, options),
    seamMap: (a, b, options = {}) => ask("seamMap", a, b, options),

    loadNetworks: (options = {}) => network("loadNetworks", options),
    networkInfo: () => network("networkInfo", {}),
    networkModels: (options = {}) => network("networkModels", options),
  };
}

/** Settings of the networks as `postMessage` takes them. */
async function settings({ models, wasm, ...rest }: NetworkOptions, platform: WorkerPlatform): Promise<NetworkOptions> {
  const own = await cloneable(wasm, platform);
  return { ...rest, ...(models !== undefined && { models: platform.resolve(models) }), ...(own !== undefined && { wasm: own }) };
}

/** The user's wasm as `postMessage` takes it. */
async function cloneable(wasm: InitOptions["wasm"], platform: WorkerPlatform) {
  if (typeof wasm === "string" || wasm instanceof URL) return platform.resolve(wasm);
  return wasm instanceof Response ? wasm.arrayBuffer() : wasm;
}

class RemoteClip implements WorkerClip {
  readonly #link: WorkerLink;
  readonly #entry: Entry;
  readonly #kind: ClipInfo["kind"];
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  constructor(link: WorkerLink, entry: Entry, { name, frames, fps, kind }: Summary) {
    this.#link = link;
    this.#entry = entry;
    this.#kind = kind;
    this.name = name;
    this.frames = frames;
    this.fps = fps;
  }

  static entryOf(clip: WorkerClip, what: string): Entry {
    if (typeof clip === "object" && clip !== null && #entry in clip) return clip.#entry;
    throw new KinestitchError("option", `${what} is not a clip made by load or stitch of kinestitch/worker`);
  }

  static isBiped(clip: WorkerClip): boolean {
    return clip instanceof RemoteClip && clip.#kind === "biped";
  }

  info(options: CallOptions = {}): Promise<ClipInfo> {
    return this.#link.read(this.#entry, "info", options);
  }

  positions(options: CallOptions = {}): Promise<Float32Array> {
    return this.#link.read(this.#entry, "positions", options);
  }

  rotations(options: CallOptions = {}): Promise<Float32Array> {
    return this.#link.read(this.#entry, "rotations", options);
  }

  curves(options: CallOptions = {}): Promise<ClipCurves> {
    return this.#link.read(this.#entry, "curves", options);
  }

  toBvh(options: CallOptions = {}): Promise<string> {
    return this.#link.read(this.#entry, "toBvh", options);
  }

  toGlb(options: CallOptions = {}): Promise<Uint8Array> {
    return this.#link.read(this.#entry, "toGlb", options);
  }

  resample(fps: number, options: CallOptions = {}): Promise<WorkerClip> {
    return this.derive((of) => ({ make: "resample", of, fps }), options);
  }

  withRig(rig: RigEdits, options: CallOptions = {}): Promise<WorkerClip> {
    return this.derive((of) => ({ make: "withRig", of, rig }), options);
  }

  protected async derive(recipe: (of: ClipId) => Recipe, options: CallOptions): Promise<WorkerClip> {
    const { entry, summary } = await this.#link.make(recipe(this.#entry.id), [this.#entry], options);
    return new RemoteClip(this.#link, entry, summary);
  }
}

class RemoteStitched extends RemoteClip implements WorkerStitchedClip {
  readonly seams: Seam[];
  readonly warnings: string[];
  readonly milliseconds: number;
  readonly starts: number[];

  constructor(link: WorkerLink, entry: Entry, summary: Summary) {
    super(link, entry, summary);
    const { seams = [], warnings = [], milliseconds = 0, starts = [] } = summary.stitched ?? {};
    this.seams = seams;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
    this.starts = starts;
  }

  aligned(options: CallOptions = {}): Promise<WorkerClip[]> {
    return Promise.all(this.starts.map((_, index) => this.derive((of) => ({ make: "aligned", of, index }), options)));
  }
}

class RemoteInbetween extends RemoteClip implements WorkerInbetweenClip {
  readonly keys: [number, number][];
  readonly gaps: Gap[];
  readonly warnings: string[];
  readonly milliseconds: number;

  constructor(link: WorkerLink, entry: Entry, summary: Summary) {
    super(link, entry, summary);
    const { keys = [], gaps = [], warnings = [], milliseconds = 0 } = summary.inbetween ?? {};
    this.keys = keys;
    this.gaps = gaps;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
  }
}
