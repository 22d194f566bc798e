/** The networks of a thread: loaded when first needed, each on the CPU or, if there is one, on the GPU. */
import type { CpuInbetweener } from "../../wasm/kinestitch.js";
import { aborted, callWasm } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import { pickTaskOptions, wrongOption } from "../core/options.js";
import { runWithProgressAsync } from "../core/progress.js";
import { mainInstance } from "../core/restart.js";
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
  type PhaseNetwork,
  type FillerNetwork,
  type FillerOptions,
  fallBackToCpu,
  type JudgeChoice,
  type JudgeNetwork,
  type LoadedJudge,
  type LoadedNetworks,
  type NetworksSnapshot,
  type RefinerNetwork,
  type Slot,
  isKeyOf,
  slotKey,
  type ControllerNetwork,
} from "./loaded.js";
import { commonOptions, mergeSettings, type OnDemandOptions } from "./network-settings.js";
import { OnDemandNetworks } from "./on-demand.js";
import { networkUrls } from "./urls.js";
import { refineOnCpu, type DraftRows } from "./refine.js";
import { NetworkSource } from "./source.js";
import { startFiller, startRefiner } from "./start.js";

/** Tasks whose networks `loadNetworks` does not load, each with a message that names the function that loads them. */
const LOADED_BY: { readonly [Task in NetworkTask]?: string } = {
  control: 'createController loads the networks for "control" itself',
  phases: 'livePhases loads the network for "phases" itself',
};

/** The state that `loadNetworks` changes. */
interface State {
  settings: NetworkOptions;
  slots: Map<string, Slot>;
  sets: Map<string, string>;
}

/** Returns the folder and the set by which a judge is chosen: those of `loadNetworks`, or else those of the settings. */
const choiceOfJudge = (options: OnDemandOptions, settings: NetworkOptions): JudgeChoice => ({
  models: options.models ?? settings.models,
  set: options.set ?? settings.set,
});

/** Returns the slots of networks whose weights were lost. */
const lostSlots = ({ loaded }: NetworksSnapshot): Map<string, Slot> =>
  new Map([...loaded].map(([key, lost]) => [key, { lost }]));

/** Settings of the networks of a thread, and the networks loaded so far. */
export class Networks {
  readonly #source: NetworkSource;
  readonly #gpu: GpuHost;
  readonly #onDemand: OnDemandNetworks;
  #settings: NetworkOptions = {};
  /** Set of each network that was loaded by name, by slot key; it applies to this network only. */
  #sets = new Map<string, string>();
  /** Slots by task and name, and by device if it was set for a single call. */
  #slots = new Map<string, Slot>();
  /** The judge that `loadNetworks` has loaded. */
  #loadedJudge: LoadedJudge | undefined;
  /** The judge with which "auto" compares motions, for these settings and options; absent until it is needed. */
  #autoJudge:
    | { settings: NetworkOptions; options: OnDemandOptions | undefined; judge: JudgeNetwork | undefined }
    | undefined;
  /** Networks loaded by `loadNetworks`, by slot key, with their own set, if any: "auto" tries only these networks. */
  #preloaded = new Map<string, string | undefined>();

  constructor(read: ReadLocation) {
    this.#source = new NetworkSource(read);
    this.#gpu = new GpuHost(read, () => (this.#slots = new Map()));
    this.#onDemand = new OnDemandNetworks(this.#source);
    // Networks are in the module's memory, and are lost when the module restarts.
    mainInstance.onRestart(() => {
      this.#onDemand.clear();
      this.#autoJudge = undefined;
      this.#slots = lostSlots(this.snapshot());
    });
  }

  /** Describes the networks, so that {@link restore} makes them available in another thread. */
  snapshot(): NetworksSnapshot {
    const loaded: NetworksSnapshot["loaded"] = new Map();
    for (const [key, slot] of this.#slots) {
      const network = slot.loaded ?? slot.lost;
      // Without the weights, which cannot be sent to another thread.
      if (network) loaded.set(key, { model: network.model, device: network.device });
    }
    return { preloaded: this.#preloaded, loaded, judge: this.#loadedJudge };
  }

  /** Makes the networks of a thread that has ended available in a new one. Each is loaded when it is needed. */
  restore(snapshot: NetworksSnapshot): void {
    this.#preloaded = snapshot.preloaded;
    this.#sets = new Map([...snapshot.preloaded].flatMap(([key, set]) => (set === undefined ? [] : [[key, set]])));
    this.#loadedJudge = snapshot.judge;
    this.#slots = lostSlots(snapshot);
  }

  /**
   * Changes settings. Networks that were loaded with other settings are dropped. Returns a function that undoes the
   * change, unless the settings were changed again.
   */
  configure(options: NetworkOptions): () => void {
    const [previous, slots] = [this.#settings, this.#slots];
    const settings = mergeSettings(previous, options);
    if (settings === previous) return () => {};
    this.#settings = settings;
    this.#slots = new Map();
    return () => {
      if (this.#settings === settings) [this.#settings, this.#slots] = [previous, slots];
    };
  }

  /** Forgets all settings and networks, as if the thread had just started. */
  reset(): void {
    this.#settings = {};
    this.#sets = new Map();
    this.#slots = new Map();
    this.#preloaded.clear();
    this.#loadedJudge = this.#autoJudge = undefined;
  }

  /** Returns the loaded network of a task, also if a restart has unloaded it; `undefined` if none is loaded. */
  info(
    task: NetworkTask,
    name = task === "stitch" || task === "inbetween" ? (defaultNetworks[task] as string) : undefined,
  ): NetworkInfo | undefined {
    if (task === "judge") return this.#judgeInfo(name);
    const slot = this.#slots.get(slotKey(task, name ?? ""));
    const network = slot?.loaded ?? slot?.lost;
    return network && { ...network.model, device: { ...network.device } };
  }

  /** Returns the judge that `loadNetworks` has loaded, unless later settings choose another judge. */
  #judgeInfo(name: string | undefined): NetworkInfo | undefined {
    if (!this.#loadedJudge) return undefined;
    const { options, info, choice } = this.#loadedJudge;
    const { models, set } = choiceOfJudge(options, this.#settings);
    const isCurrent = models === choice.models && set === choice.set && (name ?? info.name) === info.name;
    return isCurrent ? { ...info, device: { ...info.device } } : undefined;
  }

  /**
   * Returns the name of the default network of a task, if `loadNetworks` has loaded it. After a change of the settings
   * or a restart of the module, the network must be loaded again.
   */
  defaultOf<Task extends keyof typeof defaultNetworks>(task: Task): (typeof defaultNetworks)[Task] | undefined {
    return this.#preloaded.has(slotKey(task, defaultNetworks[task])) ? defaultNetworks[task] : undefined;
  }

  /** Loads the network of a task if necessary; concurrent callers share one download. */
  async load(request: LoadNetworksOptions = {}): Promise<NetworkInfo> {
    const { for: task = "stitch", name, ...options } = request;
    const loadedBy = LOADED_BY[task];
    if (loadedBy !== undefined) throw wrongOption("for", loadedBy);
    if (task === "judge") return this.#loadJudge(options);
    const slot = slotKey(task, name ?? "");
    const previous = this.#state();
    this.configure(commonOptions(request));
    if (name !== undefined) this.#chooseSet(slot, options.set);
    const changed = this.#state();
    try {
      const { model, device } = await this.getNetwork(task as keyof LoadedNetworks, options, name);
      const key = slotKey(task, model.name);
      this.#preloaded.set(key, this.#sets.get(key));
      return { ...model, device: { ...device } };
    } catch (error) {
      this.#restore(slot, previous, changed);
      throw error;
    }
  }

  #state(): State {
    return { settings: this.#settings, slots: this.#slots, sets: this.#sets };
  }

  /** Undoes the changes of a failed load of the network of a slot; keeps the changes of other calls since then. */
  #restore(slot: string, previous: State, changed: State): void {
    // If the slots were replaced meanwhile, the networks in the previous slots may be lost.
    const slots = this.#slots === changed.slots ? previous.slots : new Map<string, Slot>();
    if (changed.settings !== previous.settings && this.#settings === changed.settings) {
      this.#settings = previous.settings;
      this.#slots = slots;
    }
    if (changed.sets !== previous.sets && this.#sets.get(slot) === changed.sets.get(slot)) {
      const set = previous.sets.get(slot);
      const otherSets = [...this.#sets].filter(([key]) => key !== slot);
      this.#sets = new Map(set === undefined ? otherSets : [...otherSets, [slot, set]]);
      this.#slots = new Map([
        ...[...this.#slots].filter(([key]) => !isKeyOf(slot, key)),
        ...[...slots].filter(([key]) => isKeyOf(slot, key)),
      ]);
    }
  }

  /** Loads the judge, which "auto" uses from then on. */
  async #loadJudge({ set, models, device, ...task }: LoadNetworksOptions): Promise<NetworkInfo> {
    const options = {
      ...(set !== undefined && { set }),
      ...(models !== undefined && { models }),
      ...(device && { device }),
    };
    const choice = choiceOfJudge(options, this.#settings);
    const { model } = await this.#onDemand.judge(options, this.#settings, pickTaskOptions(task));
    this.#preloaded.set(slotKey("judge", model.name), undefined);
    const reason = "the judge runs on the CPU";
    const info: NetworkInfo = { ...model, device: { asked: device ?? "auto", used: "cpu", reason } };
    this.#loadedJudge = { options, info, choice };
    return { ...info, device: { ...info.device } };
  }

  /** Sets the set of the network of a slot; other networks keep theirs. */
  #chooseSet(slot: string, set: string | undefined): void {
    if (set === undefined || set === (this.#sets.get(slot) ?? this.#settings.set)) return;
    this.#sets = new Map([...this.#sets, [slot, set]]);
    this.#slots = new Map([...this.#slots].filter(([key]) => !isKeyOf(slot, key)));
  }

  /** Lists the networks of the current manifest, or of the manifest of another folder, without loading networks. */
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

  /** Returns refined rows of the same shape. If the GPU is lost, the CPU is used from then on. */
  async refine(rows: DraftRows, task: TaskOptions): Promise<Float32Array> {
    const loaded = await this.getNetwork("stitch", task);
    return runWithProgressAsync(task, async (report) => {
      let largestDone = 0;
      const reportLargest = (done: number): boolean => report("refine", (largestDone = Math.max(largestDone, done)));
      reportLargest(0);
      if (loaded.gpu) {
        const { gpu } = loaded;
        try {
          return await this.#gpu.run(() => gpu.refine(rows.rows, rows.seams, reportLargest));
        } catch (error) {
          fallBackToCpu(loaded, error);
        }
      }
      return refineOnCpu(loaded.cpu, rows, reportLargest);
    });
  }

  /**
   * Returns networks that fill gaps between keys: the networks of `methods`, which are loaded if necessary, and all
   * networks that `loadNetworks` has loaded.
   */
  async fillers(methods: readonly string[], options: FillerOptions): Promise<CpuInbetweener[]> {
    const requested = await Promise.all(methods.map((method) => this.#filler(method, options)));
    const others = this.preloadedNames("inbetween").flatMap((name) => {
      const loaded = methods.includes(name) ? undefined : this.#slots.get(slotKey("inbetween", name))?.loaded;
      return loaded ? [loaded as FillerNetwork] : [];
    });
    return [...others, ...requested].map(({ cpu }) => cpu);
  }

  /** Returns the names of a task's networks that `loadNetworks` has loaded, in alphabetical order. */
  preloadedNames(task: NetworkTask): string[] {
    const prefix = slotKey(task, "");
    return [...this.#preloaded.keys()]
      .filter((slot) => slot.startsWith(prefix))
      .map((slot) => slot.slice(prefix.length))
      .sort();
  }

  /**
   * Returns the predictions of the GPU for the inputs of a method, which `makeInputs` computes; empty if the network
   * runs on the CPU, or if the GPU is lost.
   */
  async predictOnGpu(
    method: string,
    makeInputs: () => Float32Array[],
    options: FillerOptions,
  ): Promise<Float32Array[]> {
    const loaded = await this.#filler(method, options);
    if (!loaded.gpu) return [];
    const { gpu } = loaded;
    const inputs = callWasm(makeInputs);
    const outputs: Float32Array[] = [];
    try {
      for (const rows of inputs) {
        if (options.signal?.aborted) throw aborted();
        outputs.push(await this.#gpu.run(() => gpu.rows(rows)));
      }
      return outputs;
    } catch (error) {
      fallBackToCpu(loaded, error);
      return [];
    }
  }

  #filler(method: string, { device, ...task }: FillerOptions): Promise<FillerNetwork> {
    return this.getNetwork("inbetween", pickTaskOptions(task), method, device);
  }

  /** Returns the styles of the network of an `inbetween` method; loads it if necessary. */
  async styles(method: string, task: TaskOptions): Promise<string[]> {
    const { cpu } = await this.getNetwork("inbetween", task, method);
    return callWasm(() => cpu.styles());
  }

  /** Returns the network of a character, which is loaded once. */
  controller(options: OnDemandOptions & { character: string }, task: TaskOptions): Promise<ControllerNetwork> {
    return this.#onDemand.controller(options, this.#settings, task);
  }

  /** Returns the encoder of the periodic autoencoder, for the phases of a whole body. It is loaded once. */
  periodicEncoder(options: OnDemandOptions, task: TaskOptions): Promise<PhaseNetwork> {
    return this.#onDemand.periodicEncoder(options, this.#settings, task);
  }

  /** Returns the judge of naturalness, which is loaded once. */
  judge(set: string | undefined, task: TaskOptions): Promise<JudgeNetwork> {
    return this.#onDemand.judge(set === undefined ? {} : { set }, this.#settings, task);
  }

  /**
   * Returns the judge with which "auto" compares motions: the judge of `loadNetworks`, or else the judge that the
   * manifest lists. `undefined` if there is no manifest, or if it lists no judge: a user's folder may contain only
   * other networks.
   */
  async judgeForAuto(task: TaskOptions): Promise<JudgeNetwork | undefined> {
    const [settings, options] = [this.#settings, this.#loadedJudge?.options];
    const cached = this.#autoJudge;
    if (cached && cached.settings === settings && cached.options === options) return cached.judge;
    const judge = await this.#findJudge(settings, options, task);
    // A judge that is not in the package's manifest may be imported later.
    if (judge || settings.models !== undefined) this.#autoJudge = { settings, options, judge };
    return judge;
  }

  async #findJudge(
    settings: NetworkOptions,
    options: OnDemandOptions | undefined,
    task: TaskOptions,
  ): Promise<JudgeNetwork | undefined> {
    if (options) return this.#onDemand.judge(options, settings, task);
    if (settings.models === undefined && !networkUrls()) return undefined;
    const models = await this.models({ for: "judge", ...(task.signal && { signal: task.signal }) });
    return models.length > 0 ? this.#onDemand.judge({}, settings, task) : undefined;
  }

  /**
   * Returns the network of a task with the current settings; loads it if necessary. `device` applies to this call only.
   */
  getNetwork<Name extends keyof LoadedNetworks>(
    task: Name,
    options: TaskOptions,
    name: string = defaultNetworks[task],
    device?: Device,
  ): Promise<LoadedNetworks[Name]> {
    const otherDevice = device === (this.#settings.device ?? "auto") ? undefined : device;
    const key = slotKey(task, name, otherDevice);
    const slot = this.#slots.get(key);
    let loading = slot?.loading;
    if (!loading || loading.isStopped) {
      const set = this.#sets.get(slotKey(task, name));
      const settings = {
        ...this.#settings,
        ...(otherDevice && { device: otherDevice }),
        ...(set !== undefined && { set }),
      };
      const loader = { source: this.#source, gpu: this.#gpu };
      const start = task === "inbetween" ? startFiller : startRefiner;
      loading = new SharedWork<RefinerNetwork | FillerNetwork>(async (shared) => {
        const loaded = await start(loader, name, settings, shared);
        started.loaded = loaded;
        return loaded;
      });
      const started: Slot = { ...(slot?.lost && { lost: slot.lost }), loading };
      this.#slots.set(key, started);
    }
    return loading.wait(options) as Promise<LoadedNetworks[Name]>;
  }
}
