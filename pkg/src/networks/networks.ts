/** The networks: found in the manifest, loaded on first need, each on the CPU or on a GPU. */
import { CpuController, CpuInbetweener, CpuJudge, CpuPeriodic, CpuRefiner } from "../../wasm/live.js";
import { aborted, guardedLive as guarded, KinestitchError } from "../core/error.js";
import { wrongOption } from "../core/options.js";
import type { ReadLocation } from "../core/input.js";
import { choose, fileOf, PACKAGED, mismatch, nameOf, unreadable, verify } from "./manifest.js";
import { parseManifest } from "./manifest-check.js";
import { cached, keep } from "./model-cache.js";
import { type Adapter, causeOf, findAdapter, measure, NO_ADAPTER, type Verdict } from "./device.js";
import { Download } from "./download.js";
import { answered, type GpuFiller, type GpuHandle, type GpuModule, startModule } from "./gpu.js";
import { refineOnCpu, type Rows } from "./refine.js";
import { changed, type OwnNetwork } from "./network-settings.js";
import { gpuPlaces, modelPlace, networkPlaces } from "./places.js";
import { reportingAsync } from "../core/progress.js";
import { liveModule } from "../core/restart.js";
import { Shared } from "../core/shared.js";
import { live } from "../core/wasm.js";
import { type Device, type LoadNetworksOptions, type NetworkInfo, type NetworkModel, type NetworkOptions, type NetworkTask, type TaskOptions, usualNetworks } from "../core/types.js";

interface Loaded {
  model: NetworkModel;
  device: NetworkInfo["device"];
}

/** The network of `stitch`. */
interface Refining extends Loaded {
  cpu: CpuRefiner;
  gpu: GpuHandle | undefined;
}

/** The network of `inbetween`. */
interface Filling extends Loaded {
  cpu: CpuInbetweener;
  gpu: GpuFiller | undefined;
}

/** Loaded networks by task. */
interface LoadedFor {
  stitch: Refining;
  inbetween: Filling;
}

/** A network that is not chosen by `loadNetworks` but loaded by its user. */
interface Own<Cpu> {
  model: NetworkModel;
  cpu: Cpu;
}

/** The networks of controllers, of whole-body phases, and the judge of recorded motion. */
export type Steering = Own<CpuController>;
export type Encoding = Own<CpuPeriodic>;
export type Judging = Own<CpuJudge>;

/** A network of a task: loading, or loaded. */
interface Slot {
  loading: Shared<Refining | Filling>;
  loaded?: Refining | Filling;
}

/** Continues without a GPU that failed; all other failures are rethrown. */
function giveUp(loaded: Refining | Filling, error: unknown): void {
  if (!(error instanceof KinestitchError && error.code === "device")) throw error;
  loaded.gpu = undefined;
  loaded.device = { ...loaded.device, used: "cpu", reason: `WebGPU failed: ${causeOf(error)}` };
}

const slotOf = (task: NetworkTask, name: string): string => `${task}/${name}`;

export class Networks {
  readonly #read: ReadLocation;
  #settings: NetworkOptions = {};
  /** Sets of the networks loaded by name, by task and name. */
  #sets = new Map<string, string>();
  /** By task and name. */
  #slots = new Map<string, Slot>();
  /** By SHA-256 of the file: characters of one kind share a network. */
  #controllers = new Map<string, Shared<Steering>>();
  #encoders = new Map<string, Shared<Encoding>>();
  #judges = new Map<string, Shared<Judging>>();
  /** Slots named in `loadNetworks`: "auto" chooses only among these. */
  #named = new Set<string>();
  /** Started once, because a wasm instance cannot be freed; replaced only after it stopped. */
  #module: GpuModule | undefined;
  #stopped = 0;

  constructor(read: ReadLocation) {
    this.#read = read;
    // Loaded networks live in the module, and are lost with it.
    liveModule.onRestart(() => {
      for (const known of [this.#controllers, this.#encoders, this.#judges]) known.clear();
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

  /** The network loaded for a task; `undefined` before. */
  info(task: NetworkTask, name = task === "stitch" || task === "inbetween" ? (usualNetworks[task] as string) : ""): NetworkInfo | undefined {
    const loaded = this.#slots.get(slotOf(task, name))?.loaded;
    return loaded && { ...loaded.model, device: { ...loaded.device } };
  }

  /** Loads the network of a task unless it is loaded; concurrent callers share one download. */
  async load({ for: task = "stitch", name, ...options }: LoadNetworksOptions = {}): Promise<NetworkInfo> {
    if (task === "control") throw wrongOption("for", 'createController loads the networks for "control" itself');
    if (task === "phases") throw wrongOption("for", 'livePhases loads the network for "phases" itself');
    if (task === "judge") {
      const { model } = await this.#own("judge", options, options, this.#judges, (bytes) => new CpuJudge(bytes));
      this.#named.add(slotOf("judge", model.name));
      return { ...model, device: { asked: options.device ?? "auto", used: "cpu", reason: "the judge runs on the CPU" } };
    }
    const before = { settings: this.#settings, slots: this.#slots, sets: this.#sets };
    if (name === undefined) this.configure(options);
    else this.#configureOne(slotOf(task, name), options);
    const settings = this.#settings;
    try {
      const { model, device } = await this.ready(task, options, name);
      this.#named.add(slotOf(task, model.name));
      return { ...model, device: { ...device } };
    } catch (error) {
      // Settings that failed are undone.
      if (this.#settings === settings && (settings !== before.settings || this.#sets !== before.sets)) {
        this.#settings = before.settings;
        this.#slots = before.slots;
        this.#sets = before.sets;
      }
      throw error;
    }
  }

  /** As {@link configure}, but for the set: that of a network which is named is its alone. */
  #configureOne(slot: string, { set, ...options }: NetworkOptions): void {
    this.configure(options);
    if (set === undefined || set === (this.#sets.get(slot) ?? this.#settings.set)) return;
    this.#sets = new Map([...this.#sets, [slot, set]]);
    this.#slots = new Map([...this.#slots].filter(([other]) => other !== slot));
  }

  /** The networks of the manifest, the current one or that of another folder; loads none, changes nothing. */
  async models({ for: task, name, models: folder = this.#settings.models, signal }: LoadNetworksOptions = {}): Promise<NetworkModel[]> {
    const { networks } = await this.#manifest(folder, signal);
    return networks.filter((network) => (task === undefined || network.for === task) && (name === undefined || network.name === name));
  }

  /** Rows → refined rows, of the same shape. If the GPU is lost, the CPU takes over permanently. */
  async refine(rows: Rows, task: TaskOptions): Promise<Float32Array> {
    const loaded = await this.ready("stitch", task);
    return reportingAsync(task, async (report) => {
      let most = 0;
      const further = (done: number): boolean => report("refine", (most = Math.max(most, done)));
      further(0);
      if (loaded.gpu) {
        const { gpu } = loaded;
        try {
          return await this.#guarded(() => gpu.refine(rows.rows, rows.seams, further));
        } catch (error) {
          giveUp(loaded, error);
        }
      }
      return refineOnCpu(loaded.cpu, rows, further);
    });
  }

  /** The loaded networks that fill gaps; loads that of `method` first. */
  async fillers(method: string | undefined, task: TaskOptions): Promise<CpuInbetweener[]> {
    const asked = method === undefined ? [] : [(await this.ready("inbetween", task, method)).cpu];
    const loaded = [...this.#slots].map(([slot, { loaded }]) => (slot.startsWith(slotOf("inbetween", "")) ? (loaded as Filling | undefined)?.cpu : undefined));
    return [...loaded.filter((cpu) => cpu !== undefined && !asked.includes(cpu)), ...asked] as CpuInbetweener[];
  }

  /** Names given to `loadNetworks` for a task, in alphabetical order. */
  named(task: NetworkTask): string[] {
    const start = slotOf(task, "");
    return [...this.#named].filter((slot) => slot.startsWith(start)).map((slot) => slot.slice(start.length)).sort();
  }

  /** Outputs of the GPU for inputs of "delta"; empty where the CPU is to be used, also after the GPU is lost. */
  async answers(questions: () => Float32Array[], task: TaskOptions): Promise<Float32Array[]> {
    const loaded = await this.ready("inbetween", task, "delta");
    const { gpu } = loaded;
    if (!gpu) return [];
    const asked = guarded(questions);
    try {
      const answers: Float32Array[] = [];
      for (const rows of asked) {
        if (task.signal?.aborted) throw aborted();
        answers.push(await this.#guarded(() => gpu.rows(rows)));
      }
      return answers;
    } catch (error) {
      giveUp(loaded, error);
      return [];
    }
  }

  /** Names of the styles of a method of `inbetween`; loads its network. */
  async styles(method: string, task: TaskOptions): Promise<string[]> {
    const { cpu } = await this.ready("inbetween", task, method);
    return guarded(() => cpu.styles());
  }

  /** The network of a controller, loaded once. */
  controller(wanted: OwnNetwork & { character: string }, task: TaskOptions): Promise<Steering> {
    return this.#own("control", wanted, task, this.#controllers, (bytes) => new CpuController(bytes));
  }

  /** The network of whole-body phases, loaded once. */
  encoder(wanted: OwnNetwork, task: TaskOptions): Promise<Encoding> {
    return this.#own("phases", wanted, task, this.#encoders, (bytes) => new CpuPeriodic(bytes));
  }

  /** The judge of recorded motion, loaded once. */
  judge(set: string | undefined, task: TaskOptions): Promise<Judging> {
    return this.#own("judge", set === undefined ? {} : { set }, task, this.#judges, (bytes) => new CpuJudge(bytes));
  }

  async #own<Cpu>(
    name: NetworkTask,
    { character, set, models, device }: OwnNetwork,
    task: TaskOptions,
    known: Map<string, Shared<Own<Cpu>>>,
    make: (bytes: Uint8Array) => Cpu,
  ): Promise<Own<Cpu>> {
    if (device === "webgpu") throw new KinestitchError("device", `device: a network for "${name}" runs on the CPU, where it answers within a frame; ask for "cpu" or "auto"`);
    const settings = { ...this.#settings, ...(models !== undefined && { models }) };
    const { networks, where } = await this.#manifest(settings.models, task.signal);
    const hasSet = networks.some((network) => network.for === name && network.character === character && network.set === settings.set);
    const model = choose(networks, { task: name, character, set: set ?? (hasSet ? settings.set : undefined) }, where);
    const weights = fileOf(model, "weights");
    let loading = known.get(weights.sha256);
    if (!loading || loading.stopped) {
      loading = new Shared(async (shared) => {
        const download = new Download(shared, 0, weights.bytes);
        const [bytes] = await Promise.all([this.#file(settings, weights, networks, download.part(1)), live.ensure()]);
        const cpu = guarded(() => make(bytes));
        download.end();
        return { model, cpu };
      });
      known.set(weights.sha256, loading);
    }
    return loading.wait(task);
  }

  /** The network of a task with the current settings; loads it if necessary. */
  ready<Name extends keyof LoadedFor>(task: Name, options: TaskOptions, name: string = usualNetworks[task]): Promise<LoadedFor[Name]> {
    let slot = this.#slots.get(slotOf(task, name));
    if (!slot || slot.loading.stopped) {
      const set = this.#sets.get(slotOf(task, name));
      const settings = { ...this.#settings, ...(set !== undefined && { set }) };
      const made: Slot = {
        loading: new Shared(async (shared) => {
          const loaded = await (task === "inbetween" ? this.#startFilling(name, settings, shared) : this.#start(task, name, settings, shared));
          made.loaded = loaded;
          return loaded;
        }),
      };
      slot = made;
      this.#slots.set(slotOf(task, name), slot);
    }
    return slot.loading.wait(options) as Promise<LoadedFor[Name]>;
  }

  /**
   * Networks of `inbetween` are small and evaluated many times a second, so they run on the CPU, beside the keys.
   * Only "delta", which is evaluated once per gap, runs on the GPU if requested, for one motion at a time.
   */
  async #startFilling(name: string, settings: NetworkOptions, shared: Required<TaskOptions>): Promise<Filling> {
    const { networks, where } = await this.#manifest(settings.models, shared.signal);
    const model = choose(networks, { task: "inbetween", name, set: settings.set }, where);
    const asked = settings.device ?? "auto";
    const { wants } = await this.#adapter(name === "delta" && asked === "webgpu" ? asked : "cpu", settings);
    const weights = fileOf(model, "weights");
    // The gallery is loaded with the network that follows its paths.
    const gallery = model.files.find(({ role }) => role === "gallery");
    const more = wants && !this.#module ? (gpuPlaces(settings)?.bytes ?? 0) : (gallery?.bytes ?? 0);
    const download = new Download(shared, weights.bytes, more);
    const [bytes, ways, module] = await Promise.all([
      this.#file(settings, weights, networks, download.part(0)),
      gallery && this.#file(settings, gallery, networks, download.part(1)),
      wants && (this.#module ?? this.#startModule(settings, download.part(1))),
      live.ensure(),
    ]);
    this.#module ??= module;
    const cpu = guarded(() => new CpuInbetweener(bytes));
    if (ways) guarded(() => cpu.setGallery(ways));
    const gpu = module && (await this.#guarded(() => module.GpuDelta.load(bytes)));
    download.end();
    const verdict: Verdict = wants
      ? { used: "webgpu", reason: `WebGPU was asked for; its adapter is ${wants.name}` }
      : { used: "cpu", reason: "in-betweening runs on the CPU, beside its keys" };
    return { model, cpu, gpu, device: { asked, ...verdict } };
  }

  /** The WebGPU adapter; an error where it is requested and not available. */
  async #adapter(asked: Device, settings: NetworkOptions): Promise<{ adapter: Adapter | undefined; wants: Adapter | undefined }> {
    const adapter = asked === "cpu" ? undefined : await findAdapter();
    const wants = adapter && (asked === "webgpu" || !adapter.emulated) && gpuPlaces(settings) ? adapter : undefined;
    if (asked === "webgpu" && !wants) throw new KinestitchError("device", `device: ${this.#why(asked, adapter)}; ask for "cpu" or "auto"`);
    return { adapter, wants };
  }

  async #start(task: NetworkTask, name: string, settings: NetworkOptions, shared: Required<TaskOptions>): Promise<Refining> {
    const { networks, where } = await this.#manifest(settings.models, shared.signal);
    const model = choose(networks, { task, name, set: settings.set }, where);
    const asked = settings.device ?? "auto";
    const { adapter, wants } = await this.#adapter(asked, settings);
    const weights = fileOf(model, "weights");
    const download = new Download(shared, wants && !this.#module ? (gpuPlaces(settings)?.bytes ?? 0) : 0, weights.bytes);
    let missing: string | undefined;
    const start = (): Promise<GpuModule | undefined> =>
      this.#startModule(settings, download.part(0)).catch((error: unknown) => {
        if (asked === "webgpu" || shared.signal.aborted) throw error;
        missing = causeOf(error);
        return undefined;
      });
    const [module, bytes] = await Promise.all([
      wants && (this.#module ?? start()),
      this.#file(settings, weights, networks, download.part(1)),
      live.ensure(),
    ]);
    this.#module ??= module;
    const cpu = guarded(() => new CpuRefiner(bytes));
    const { gpu, ...verdict } =
      module && wants
        ? await this.#onGpu(module, bytes, cpu, asked, wants)
        : { used: "cpu" as const, reason: missing ?? this.#why(asked, adapter), gpu: undefined };
    download.end();
    return { model, cpu, gpu, device: { asked, ...verdict } };
  }

  /** Reason why WebGPU is not used. */
  #why(asked: Device, adapter: Adapter | undefined): string {
    if (asked === "cpu") return "the CPU was asked for";
    if (!adapter) return NO_ADAPTER;
    if (asked === "auto" && adapter.emulated) return `WebGPU is emulated on the CPU here (${adapter.name})`;
    return "this build has no WebGPU module, or none yet";
  }

  async #onGpu(module: GpuModule, weights: Uint8Array, cpu: CpuRefiner, asked: Device, { name }: Adapter): Promise<Verdict & { gpu: GpuHandle | undefined }> {
    const load = (): Promise<GpuHandle> => this.#guarded(() => module.GpuRefiner.load(weights));
    if (asked === "webgpu") return { gpu: await load(), used: "webgpu", reason: `WebGPU was asked for; its adapter is ${name}` };
    try {
      const gpu = await load();
      const verdict = await measure(cpu, gpu, name);
      return { ...verdict, gpu: verdict.used === "webgpu" ? gpu : undefined };
    } catch (error) {
      return { gpu: undefined, used: "cpu", reason: `WebGPU (${name}) does not work: ${causeOf(error)}` };
    }
  }

  /** Calls the WebGPU module; a stopped one is not called again. */
  async #guarded<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await answered(ask);
    } catch (error) {
      if (error instanceof KinestitchError && error.code === "wasm" && this.#module) {
        this.#module = undefined;
        this.#slots = new Map();
        this.#stopped++;
      }
      throw error;
    }
  }

  async #manifest(folder: NetworkOptions["models"], signal?: AbortSignal): Promise<{ networks: NetworkModel[]; where: string }> {
    const told = folder === undefined ? networkPlaces()?.manifest : undefined;
    if (told !== undefined) return { networks: parseManifest(told, PACKAGED), where: PACKAGED };
    const place = modelPlace("manifest.json", folder === undefined ? {} : { models: folder });
    try {
      const text = new TextDecoder().decode(await this.#read(place, signal ? { signal } : {}));
      const where = nameOf(place);
      return { networks: parseManifest(text, where), where };
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #startModule(settings: NetworkOptions, task: TaskOptions): Promise<GpuModule> {
    const places = gpuPlaces(settings);
    if (!places) throw new KinestitchError("wasm", "this app has no WebGPU module");
    const { wasm } = places;
    // A script has one module instance; a query in its address makes it another script.
    const script = places.script + (this.#stopped > 0 ? `?${this.#stopped}` : "");
    if (typeof wasm !== "string" && !(wasm instanceof URL)) return startModule(script, wasm, "as given");
    return startModule(script, (await this.#read(wasm, task)) as Uint8Array<ArrayBuffer>, nameOf(wasm));
  }

  /** A file of a network, from the browser's cache or downloaded. */
  async #file(settings: NetworkOptions, file: NetworkModel["files"][number], all: readonly NetworkModel[], task: TaskOptions): Promise<Uint8Array> {
    const kept = await cached(file.sha256);
    if (kept && !(await mismatch(kept, file))) return kept;
    const place = modelPlace(file.name, settings);
    try {
      const bytes = await this.#read(place, task);
      await verify(bytes, file, nameOf(place));
      await keep(file.sha256, bytes, all.flatMap(({ files }) => files.map(({ sha256 }) => sha256)));
      return bytes;
    } catch (error) {
      throw unreadable(error);
    }
  }
}
