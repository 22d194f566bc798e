/** The networks: listed in the manifest, loaded on demand, each on the CPU or, if available, the GPU. */
import type { CpuInbetweener } from "../../wasm/live.js";
import { aborted, callLiveWasm as callWasm } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import { pickTaskOptions, wrongOption } from "../core/options.js";
import { runWithProgressAsync } from "../core/progress.js";
import { liveModule } from "../core/restart.js";
import { SharedWork } from "../core/shared.js";
import {
  type Device,
  type LoadNetworksOptions,
  type NetworkInfo,
  type NetworkModel,
  type NetworkOptions,
  type NetworkTask,
  type TaskOptions,
  defaultNetworks,
} from "../core/types.js";
import { GpuHost } from "./gpu-host.js";
import {
  type Encoding,
  type Filling,
  type FillingOptions,
  giveUp,
  type Judging,
  type LoadedFor,
  type Slot,
  slotOf,
  type Steering,
} from "./loaded.js";
import { changed, type OwnNetwork } from "./network-settings.js";
import { OwnNetworks } from "./own.js";
import { networkPlaces } from "./places.js";
import { refineOnCpu, type Rows } from "./refine.js";
import { NetworkSource } from "./source.js";
import { startFilling, startRefining } from "./start.js";

/** Tasks whose networks are not loaded by `loadNetworks`, and the functions that load them. */
const LOADED_BY: { readonly [Task in NetworkTask]?: string } = {
  control: 'createController loads the networks for "control" itself',
  phases: 'livePhases loads the network for "phases" itself',
};

/** The networks of a thread: their settings, and those loaded so far. */
export class Networks {
  readonly #source: NetworkSource;
  readonly #gpu: GpuHost;
  readonly #own: OwnNetworks;
  #settings: NetworkOptions = {};
  /** Sets of networks that were loaded by name, by task and name; each applies to its network only. */
  #sets = new Map<string, string>();
  /** Slots by task and name, and by device if given for one call. */
  #slots = new Map<string, Slot>();
  /** Choice of the judge of `loadNetworks`. */
  #namedJudge: OwnNetwork | undefined;
  /** The judge by which "auto" compares with these settings; absent before it was needed. */
  #compared: { settings: NetworkOptions; judge: Judging | undefined } | undefined;
  /** Slots loaded by `loadNetworks`: the candidates of "auto", independent of other calls. */
  readonly #named = new Set<string>();

  constructor(read: ReadLocation) {
    this.#source = new NetworkSource(read);
    this.#gpu = new GpuHost(read, () => (this.#slots = new Map()));
    this.#own = new OwnNetworks(this.#source);
    // Loaded networks are in the module's memory, and lost when it restarts.
    liveModule.onRestart(() => {
      this.#own.clear();
      this.#compared = undefined;
      this.#slots = new Map();
    });
  }

  /** Changes settings. Networks loaded with other settings are dropped. */
  configure(options: NetworkOptions): void {
    const settings = changed(this.#settings, options);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#slots = new Map();
  }

  /** The loaded network of a task; `undefined` before loading. */
  info(
    task: NetworkTask,
    name = task === "stitch" || task === "inbetween" ? (defaultNetworks[task] as string) : "",
  ): NetworkInfo | undefined {
    const loaded = this.#slots.get(slotOf(task, name))?.loaded;
    return loaded && { ...loaded.model, device: { ...loaded.device } };
  }

  /** Returns the name of the default network of a task, if `loadNetworks` has loaded it. */
  defaultOf<Task extends keyof typeof defaultNetworks>(task: Task): (typeof defaultNetworks)[Task] | undefined {
    const slot = slotOf(task, defaultNetworks[task]);
    return this.#named.has(slot) && this.#slots.get(slot)?.loaded ? defaultNetworks[task] : undefined;
  }

  /** Loads the network of a task if necessary; concurrent callers share one download. */
  async load({ for: task = "stitch", name, ...options }: LoadNetworksOptions = {}): Promise<NetworkInfo> {
    const loadedBy = LOADED_BY[task];
    if (loadedBy !== undefined) throw wrongOption("for", loadedBy);
    if (task === "judge") return this.#loadJudge(options);
    const before = { settings: this.#settings, slots: this.#slots, sets: this.#sets };
    if (name === undefined) this.configure(options);
    else this.#configureOne(slotOf(task, name), options);
    const settings = this.#settings;
    try {
      const { model, device } = await this.ready(task as keyof LoadedFor, options, name);
      this.#named.add(slotOf(task, model.name));
      return { ...model, device: { ...device } };
    } catch (error) {
      // Settings that failed are reverted.
      if (this.#settings === settings && (settings !== before.settings || this.#sets !== before.sets)) {
        this.#settings = before.settings;
        this.#slots = before.slots;
        this.#sets = before.sets;
      }
      throw error;
    }
  }

  /** Loads the judge for "auto", when no network is named. */
  async #loadJudge({ set, models, device, ...task }: LoadNetworksOptions): Promise<NetworkInfo> {
    const own = {
      ...(set !== undefined && { set }),
      ...(models !== undefined && { models }),
      ...(device && { device }),
    };
    const { model } = await this.#own.judge(own, this.#settings, pickTaskOptions(task));
    this.#named.add(slotOf("judge", model.name));
    this.#namedJudge = own;
    this.#compared = undefined;
    const reason = "the judge runs on the CPU";
    return { ...model, device: { asked: device ?? "auto", used: "cpu", reason } };
  }

  /** Like {@link configure}, except for the set: a named network's set applies to it alone. */
  #configureOne(slot: string, { set, ...options }: NetworkOptions): void {
    this.configure(options);
    if (set === undefined || set === (this.#sets.get(slot) ?? this.#settings.set)) return;
    this.#sets = new Map([...this.#sets, [slot, set]]);
    this.#slots = new Map([...this.#slots].filter(([other]) => other !== slot && !other.startsWith(`${slot}@`)));
  }

  /** Lists the networks of the current manifest, or of another folder's, without loading any. */
  async models({
    for: task,
    name,
    models: folder = this.#settings.models,
    signal,
  }: LoadNetworksOptions = {}): Promise<NetworkModel[]> {
    const { networks } = await this.#source.manifest(folder, signal);
    return networks.filter(
      (network) => (task === undefined || network.for === task) && (name === undefined || network.name === name),
    );
  }

  /** Rows → refined rows of the same shape. If a GPU is lost, the CPU takes over from then on. */
  async refine(rows: Rows, task: TaskOptions): Promise<Float32Array> {
    const loaded = await this.ready("stitch", task);
    return runWithProgressAsync(task, async (report) => {
      let most = 0;
      const further = (done: number): boolean => report("refine", (most = Math.max(most, done)));
      further(0);
      if (loaded.gpu) {
        const { gpu } = loaded;
        try {
          return await this.#gpu.run(() => gpu.refine(rows.rows, rows.seams, further));
        } catch (error) {
          giveUp(loaded, error);
        }
      }
      return refineOnCpu(loaded.cpu, rows, further);
    });
  }

  /**
   * Networks that fill gaps between keys: the networks of `methods`, loaded now, and all that `loadNetworks` has loaded.
   */
  async fillers(methods: readonly string[], options: FillingOptions): Promise<CpuInbetweener[]> {
    const requested = await Promise.all(methods.map((method) => this.#filling(method, options)));
    const others = this.named("inbetween").flatMap((name) => {
      const loaded = methods.includes(name) ? undefined : this.#slots.get(slotOf("inbetween", name))?.loaded;
      return loaded ? [loaded as Filling] : [];
    });
    return [...others, ...requested].map(({ cpu }) => cpu);
  }

  /** Names of a task's networks loaded by `loadNetworks`, in alphabetical order. */
  named(task: NetworkTask): string[] {
    const start = slotOf(task, "");
    return [...this.#named]
      .filter((slot) => slot.startsWith(start))
      .map((slot) => slot.slice(start.length))
      .sort();
  }

  /**
   * The GPU's predictions for the inputs of a method; empty if the CPU is to compute them, also after a GPU is
   * lost.
   */
  async answers(method: string, questions: () => Float32Array[], options: FillingOptions): Promise<Float32Array[]> {
    const loaded = await this.#filling(method, options);
    if (!loaded.gpu) return [];
    const { gpu } = loaded;
    const inputs = callWasm(questions);
    const outputs: Float32Array[] = [];
    try {
      for (const rows of inputs) {
        if (options.signal?.aborted) throw aborted();
        outputs.push(await this.#gpu.run(() => gpu.rows(rows)));
      }
      return outputs;
    } catch (error) {
      giveUp(loaded, error);
      return [];
    }
  }

  #filling(method: string, { device, ...task }: FillingOptions): Promise<Filling> {
    return this.ready("inbetween", pickTaskOptions(task), method, device);
  }

  /** Styles of the network of an `inbetween` method, which is loaded if necessary. */
  async styles(method: string, task: TaskOptions): Promise<string[]> {
    const { cpu } = await this.ready("inbetween", task, method);
    return callWasm(() => cpu.styles());
  }

  /** The network of a character, loaded once. */
  controller(request: OwnNetwork & { character: string }, task: TaskOptions): Promise<Steering> {
    return this.#own.controller(request, this.#settings, task);
  }

  /** The network for the phases of a whole body, loaded once. */
  encoder(request: OwnNetwork, task: TaskOptions): Promise<Encoding> {
    return this.#own.encoder(request, this.#settings, task);
  }

  /** The judge of naturalness, loaded once. */
  judge(set: string | undefined, task: TaskOptions): Promise<Judging> {
    return this.#own.judge(set === undefined ? {} : { set }, this.#settings, task);
  }

  /**
   * The judge by which "auto" compares: that of `loadNetworks`, else the one that a manifest lists. `undefined` if
   * no manifest is known or it lists none: a user's folder may contain other networks only.
   */
  async judgeAtHand(task: TaskOptions): Promise<Judging | undefined> {
    const settings = this.#settings;
    if (this.#compared?.settings === settings) return this.#compared.judge;
    const judge = await this.#findJudge(settings, task);
    this.#compared = { settings, judge };
    return judge;
  }

  async #findJudge(settings: NetworkOptions, task: TaskOptions): Promise<Judging | undefined> {
    if (this.#namedJudge) return this.#own.judge(this.#namedJudge, settings, task);
    if (settings.models === undefined && !networkPlaces()) return undefined;
    const models = await this.models({ for: "judge", ...(task.signal && { signal: task.signal }) });
    return models.length > 0 ? this.#own.judge({}, settings, task) : undefined;
  }

  /** The network of a task with the current settings, loaded if necessary; `device` applies to one call. */
  ready<Name extends keyof LoadedFor>(
    task: Name,
    options: TaskOptions,
    name: string = defaultNetworks[task],
    device?: Device,
  ): Promise<LoadedFor[Name]> {
    const own = device === (this.#settings.device ?? "auto") ? undefined : device;
    const key = slotOf(task, name) + (own ? `@${own}` : "");
    let slot = this.#slots.get(key);
    if (!slot || slot.loading.isStopped) {
      const set = this.#sets.get(slotOf(task, name));
      const settings = { ...this.#settings, ...(own && { device: own }), ...(set !== undefined && { set }) };
      const loader = { source: this.#source, gpu: this.#gpu };
      const start = task === "inbetween" ? startFilling : startRefining;
      const started: Slot = {
        loading: new SharedWork(async (shared) => {
          const loaded = await start(loader, name, settings, shared);
          started.loaded = loaded;
          return loaded;
        }),
      };
      slot = started;
      this.#slots.set(key, slot);
    }
    return slot.loading.wait(options) as Promise<LoadedFor[Name]>;
  }
}
