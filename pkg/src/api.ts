/** The functions every entry exports, over what differs between platforms. */
import { fillBetween, liveBetween } from "./inbetween.js";
import { type ReadLocation, readInput } from "./input.js";
import { bestCuts, mapCuts, scoreCut, scorePath } from "./lscore.js";
import { type NetworkFiles, Networks } from "./networks.js";
import { readClip } from "./read.js";
import { stitchClips } from "./stitch.js";
import type {
  BestSeamOptions,
  Clip,
  Cut,
  InbetweenClip,
  InbetweenKey,
  InbetweenOptions,
  InitOptions,
  Input,
  LiveInbetween,
  LoadNetworksOptions,
  LoadOptions,
  LscoreOptions,
  NetworkInfo,
  NetworkModel,
  PathCut,
  PathOptions,
  ScoredCut,
  SeamMap,
  SeamMapOptions,
  StitchedClip,
  StitchOptions,
} from "./types.js";
import { ensureWasm, type WasmLocation } from "./wasm.js";

/** What an entry brings. */
export interface Platform {
  wasm: WasmLocation;
  read: ReadLocation;
  networks: NetworkFiles;
}

/** The package's functions. */
export interface Api {
  /** Loads the wasm module, from where you say. Needed only to override that, or to load it early. */
  init(options?: InitOptions): Promise<void>;
  /**
   * Reads a motion from BVH text, bytes, a File or Blob, or a URL. A string is BVH text where it holds a line break or
   * starts with HIERARCHY; else a URL (in Node: or a path).
   */
  load(input: Input, options?: LoadOptions): Promise<Clip>;
  /** Joins two or more clips, in order, into one motion on the first clip's skeleton. */
  stitch(clips: readonly Clip[], options?: StitchOptions): Promise<StitchedClip>;
  /** Makes the motion between two or more keys, poses or pieces of clips, on the first key's skeleton. Keys are kept exactly. */
  inbetween(keys: readonly InbetweenKey[], options?: InbetweenOptions): Promise<InbetweenClip>;
  /** Makes keys ready to be dragged: what it resolves to works synchronously, on the calling thread. */
  liveInbetween(keys: readonly InbetweenKey[], options?: InbetweenOptions): Promise<LiveInbetween>;
  /** Scores the cut from a frame of `a` to a frame of `b` by the work it takes (elastic L-score). */
  lscore(a: Clip, b: Clip, options?: LscoreOptions): Promise<ScoredCut>;
  /** Scores the cut between two paths of bare points, [frames × points × 3]; without a landing, finds the cheapest. */
  lscorePath(a: Float32Array, b: Float32Array, options?: PathOptions): Promise<PathCut>;
  /** The cheapest cuts from `a` to `b`, cheapest first. */
  bestSeam(a: Clip, b: Clip, options?: BestSeamOptions): Promise<Cut[]>;
  /** Scores every cut from `a` to `b`. Called again with another trim, it scores only what is new. */
  seamMap(a: Clip, b: Clip, options?: SeamMapOptions): Promise<SeamMap>;
  /** Loads the networks' module and weights and chooses their device. From then on `stitch` refines by itself. */
  loadNetworks(options?: LoadNetworksOptions): Promise<NetworkInfo>;
  /** The loaded network and where it runs; `undefined` where none is. */
  networkInfo(): Promise<NetworkInfo | undefined>;
  /** The networks there are, with their licences and scores, from the manifest alone. */
  networkModels(options?: LoadNetworksOptions): Promise<NetworkModel[]>;
}

export function createApi(platform: Platform): Api {
  const networks = new Networks(platform.networks, platform.read);
  return {
    async init(options = {}) {
      if (options.networks) networks.configure(options.networks);
      await ensureWasm(platform.wasm, options);
    },

    async load(input, options = {}) {
      const [source] = await Promise.all([readInput(input, options, platform.read), ensureWasm(platform.wasm)]);
      const clip = await readClip({ ...source, name: options.name ?? source.name }, options);
      return options.rig ? clip.withRig(options.rig) : clip;
    },

    async stitch(clips, options = {}) {
      await ensureWasm(platform.wasm);
      return stitchClips(clips, options, networks);
    },

    async inbetween(keys, options = {}) {
      await ensureWasm(platform.wasm);
      return fillBetween(keys, options);
    },

    async liveInbetween(keys, options = {}) {
      await ensureWasm(platform.wasm);
      return liveBetween(keys, options);
    },

    async lscore(a, b, options = {}) {
      await ensureWasm(platform.wasm);
      return scoreCut(a, b, options);
    },

    async lscorePath(a, b, options = {}) {
      await ensureWasm(platform.wasm);
      return scorePath(a, b, options);
    },

    async bestSeam(a, b, options = {}) {
      await ensureWasm(platform.wasm);
      return bestCuts(a, b, options);
    },

    async seamMap(a, b, options = {}) {
      await ensureWasm(platform.wasm);
      return mapCuts(a, b, options);
    },

    loadNetworks: (options) => networks.load(options),
    networkInfo: async () => networks.info,
    networkModels: (options) => networks.models(options),
  };
}
