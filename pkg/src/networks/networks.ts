/** The networks: found in the manifest, loaded on first need, each on the CPU or, where there is one, the GPU. */
import type { CpuInbetweener } from "../../wasm/live.js";
import { aborted, guardedLive as guarded } from "../core/error.js";
import type { ReadLocation } from "../core/input.js";
import { taskOf, wrongOption } from "../core/options.js";
import { reportingAsync } from "../core/progress.js";
import { liveModule } from "../core/restart.js";
import { Shared } from "../core/shared.js";
import {
  type Device,
  type LoadNetworksOptions,
  type NetworkInfo,
  type NetworkModel,
  type NetworkOptions,
  type NetworkTask,
  type TaskOptions,
  usualNetworks,
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
import { refineOnCpu, type Rows } from "./refine.js";
import { NetworkSource } from "./source.js";
import { startFilling, startRefining } from "./start.js";

/** Tasks whose networks are not chosen by `loadNetworks`, and what loads them. */
const LOADED_BY: { readonly [Task in NetworkTask]?: string } = {
  control: 'createController loads the networks for "control" itself',
  phases: 'livePhases loads the network for "phases" itself',
};

export class Networks {
  readonly #source: NetworkSource;
  readonly #gpu: GpuHost;
  readonly #own: OwnNetworks;
  #settings: NetworkOptions = {};
  /** Sets of networks that were loaded by name, by task and name: theirs alone. */
  #sets = new Map<string, string>();
  /** By task and name, and the device of one call. */
  #slots = new Map<string, Slot>();
  /** Slots that `loadNetworks` has named: "auto" chooses among these, whatever other calls have loaded. */
  readonly #named = new Set<string>();

  constructor(read: ReadLocation) {
    this.#source = new NetworkSource(read);
    this.#gpu = new GpuHost(read, () => (this.#slots = new Map()));
    this.#own = new OwnNetworks(this.#source);
    // Loaded networks live in the module, and are lost with it.
    liveModule.onRestart(() => {
      this.#own.clear();
      this.#slots = new Map();
    });
  }

  /** Changes settings. Networks loaded with others are given up. */
  configure(options: NetworkOptions): void {
    const settings = changed(this.#settings, options);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#slots = new Map();
  }

  /** The network that is loaded for a task; `undefined` before. */
  info(
    task: NetworkTask,
    name = task === "stitch" || task === "inbetween" ? (usualNetworks[task] as string) : "",
  ): NetworkInfo | undefined {
    const loaded = this.#slots.get(slotOf(task, name))?.loaded;
    return loaded && { ...loaded.model, device: { ...loaded.device } };
  }

  /** The network of a task that `loadNetworks` named and that is used where nothing else is said; its name. */
  usual<Task extends keyof typeof usualNetworks>(task: Task): (typeof usualNetworks)[Task] | undefined {
    const slot = slotOf(task, usualNetworks[task]);
    return this.#named.has(slot) && this.#slots.get(slot)?.loaded ? usualNetworks[task] : undefined;
  }

  /** Loads the network of a task, unless it is there; callers at the same time share one download. */
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
      // Settings that did not work do not stay.
      if (this.#settings === settings && (settings !== before.settings || this.#sets !== before.sets)) {
        this.#settings = before.settings;
        this.#slots = before.slots;
        this.#sets = before.sets;
      }
      throw error;
    }
  }

  /** Names the judge, for "auto" to compare by where no network is named. */
  async #loadJudge({ set, models, device, ...task }: LoadNetworksOptions): Promise<NetworkInfo> {
    const own = {
      ...(set !== undefined && { set }),
      ...(models !== undefined && { models }),
      ...(device && { device }),
    };
    const { model } = await this.#own.judge(own, this.#settings, taskOf(task));
    this.#named.add(slotOf("judge", model.name));
    const reason = "the judge runs on the CPU";
    return { ...model, device: { asked: device ?? "auto", used: "cpu", reason } };
  }

  /** As {@link configure}, but for the set: that of a network which is named is its alone. */
  #configureOne(slot: string, { set, ...options }: NetworkOptions): void {
    this.configure(options);
    if (set === undefined || set === (this.#sets.get(slot) ?? this.#settings.set)) return;
    this.#sets = new Map([...this.#sets, [slot, set]]);
    this.#slots = new Map([...this.#slots].filter(([other]) => other !== slot && !other.startsWith(`${slot}@`)));
  }

  /** The networks of the manifest, the present one or that of another folder; loads none, changes nothing. */
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

  /** Rows → refined rows, of the same shape. Where a GPU is lost on the way the CPU takes over, from then on. */
  async refine(rows: Rows, task: TaskOptions): Promise<Float32Array> {
    const loaded = await this.ready("stitch", task);
    return reportingAsync(task, async (report) => {
      let most = 0;
      const further = (done: number): boolean => report("refine", (most = Math.max(most, done)));
      further(0);
      if (loaded.gpu) {
        const { gpu } = loaded;
        try {
          return await this.#gpu.guarded(() => gpu.refine(rows.rows, rows.seams, further));
        } catch (error) {
          giveUp(loaded, error);
        }
      }
      return refineOnCpu(loaded.cpu, rows, further);
    });
  }

  /**
   * Networks that fill gaps between keys: those of `methods`, loaded now, and others that were named and are loaded.
   */
  async fillers(methods: readonly string[], options: FillingOptions): Promise<CpuInbetweener[]> {
    const asked = await Promise.all(methods.map((method) => this.#filling(method, options)));
    const others = this.named("inbetween").flatMap((name) => {
      const loaded = methods.includes(name) ? undefined : this.#slots.get(slotOf("inbetween", name))?.loaded;
      return loaded ? [loaded as Filling] : [];
    });
    return [...others, ...asked].map(({ cpu }) => cpu);
  }

  /** Names that `loadNetworks` has named for a task, in alphabetical order. */
  named(task: NetworkTask): string[] {
    const start = slotOf(task, "");
    return [...this.#named]
      .filter((slot) => slot.startsWith(start))
      .map((slot) => slot.slice(start.length))
      .sort();
  }

  /**
   * Answers of the GPU to questions of a method; none where the CPU is to be asked, as where a GPU is lost on the
   * way.
   */
  async answers(method: string, questions: () => Float32Array[], options: FillingOptions): Promise<Float32Array[]> {
    const loaded = await this.#filling(method, options);
    if (!loaded.gpu) return [];
    const { gpu } = loaded;
    const asked = guarded(questions);
    const answers: Float32Array[] = [];
    try {
      for (const rows of asked) {
        if (options.signal?.aborted) throw aborted();
        answers.push(await this.#gpu.guarded(() => gpu.rows(rows)));
      }
      return answers;
    } catch (error) {
      giveUp(loaded, error);
      return [];
    }
  }

  #filling(method: string, { device, ...task }: FillingOptions): Promise<Filling> {
    return this.ready("inbetween", taskOf(task), method, device);
  }

  /** Names of the styles that the network of a method of `inbetween` knows; it is loaded now. */
  async styles(method: string, task: TaskOptions): Promise<string[]> {
    const { cpu } = await this.ready("inbetween", task, method);
    return guarded(() => cpu.styles());
  }

  /** The network that moves a character, loaded once. */
  controller(wanted: OwnNetwork & { character: string }, task: TaskOptions): Promise<Steering> {
    return this.#own.controller(wanted, this.#settings, task);
  }

  /** The network that knows a whole body's phases, loaded once. */
  encoder(wanted: OwnNetwork, task: TaskOptions): Promise<Encoding> {
    return this.#own.encoder(wanted, this.#settings, task);
  }

  /** The judge of recorded motion, loaded once. */
  judge(set: string | undefined, task: TaskOptions): Promise<Judging> {
    return this.#own.judge(set === undefined ? {} : { set }, this.#settings, task);
  }

  /** The judge, where the manifest has one: a folder of one's own may hold networks alone. */
  async judgeIfListed(task: TaskOptions): Promise<Judging | undefined> {
    const models = await this.models({ for: "judge", ...(task.signal && { signal: task.signal }) });
    return models.length > 0 ? this.judge(undefined, task) : undefined;
  }

  /** The network of a task by the present settings, loaded now if it was not; `device` is that of one call. */
  ready<Name extends keyof LoadedFor>(
    task: Name,
    options: TaskOptions,
    name: string = usualNetworks[task],
    device?: Device,
  ): Promise<LoadedFor[Name]> {
    const own = device === (this.#settings.device ?? "auto") ? undefined : device;
    const key = slotOf(task, name) + (own ? `@${own}` : "");
    let slot = this.#slots.get(key);
    if (!slot || slot.loading.stopped) {
      const set = this.#sets.get(slotOf(task, name));
      const settings = { ...this.#settings, ...(own && { device: own }), ...(set !== undefined && { set }) };
      const workshop = { source: this.#source, gpu: this.#gpu };
      const start = task === "inbetween" ? startFilling : startRefining;
      const made: Slot = {
        loading: new Shared(async (shared) => {
          const loaded = await start(workshop, name, settings, shared);
          made.loaded = loaded;
          return loaded;
        }),
      };
      slot = made;
      this.#slots.set(key, slot);
    }
    return slot.loading.wait(options) as Promise<LoadedFor[Name]>;
  }
}
