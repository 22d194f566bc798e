/** The networks: their module and weights, loaded on first need, and the refiner made of them. */
import { guardedAsync, KinestitchError } from "../core/error.js";
import type { ReadLocation } from "../core/input.js";
import { choose, type Listed, mismatch, nameOf, parseManifest, unreadable, verify } from "./manifest.js";
import { cached, keep } from "./model-cache.js";
import { answered, type NetworksModule, type RefinerHandle, startModule } from "./networks-module.js";
import { changed } from "./network-settings.js";
import { reportingAsync } from "../core/progress.js";
import { Shared } from "../core/shared.js";
import type { Device, LoadNetworksOptions, NetworkInfo, NetworkModel, NetworkOptions, Progress, TaskOptions } from "../core/types.js";

/** Where an entry has its files. */
export interface NetworkFiles {
  /** The module's script. */
  script(): URL;
  /** The module; `override` is the user's own place for it. */
  wasm(override?: URL | string): URL | string;
  /** Its size. */
  wasmBytes: number;
  /** A file of `models/`; `folder` is the user's own place for them. */
  model(file: string, folder?: URL | string): URL | string;
}

/** Rows of a draft, [frames × 161], and the frames of its seams. */
export interface Rows {
  rows: Float32Array;
  seams: Uint32Array;
}

interface Loaded {
  refiner: RefinerHandle;
  model: Listed;
}

export class Networks {
  readonly #files: NetworkFiles;
  readonly #read: ReadLocation;
  #settings: NetworkOptions = {};
  #loading: Shared<Loaded> | undefined;
  #loaded: Loaded | undefined;
  /** Started once: a wasm instance cannot be given back. Only one that stopped half-way is replaced. */
  #module: NetworksModule | undefined;
  #stopped = 0;

  constructor(files: NetworkFiles, read: ReadLocation) {
    this.#files = files;
    this.#read = read;
  }

  /** Changes settings. A network loaded with others is given up. */
  configure(options: NetworkOptions): void {
    const settings = changed(this.#settings, options);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#loading = undefined;
    this.#loaded = undefined;
  }

  /** What is loaded; `undefined` before. */
  get info(): NetworkInfo | undefined {
    return this.#loaded && describe(this.#loaded);
  }

  /** Loads module and weights, unless they are there; callers at the same time share one download. */
  async load(options: LoadNetworksOptions = {}): Promise<NetworkInfo> {
    const before = { settings: this.#settings, loading: this.#loading, loaded: this.#loaded };
    this.configure(options);
    const settings = this.#settings;
    try {
      return describe(await this.ready(options));
    } catch (error) {
      // Settings that did not work do not stay.
      if (this.#settings === settings && settings !== before.settings) {
        this.#settings = before.settings;
        this.#loading = before.loading;
        this.#loaded = before.loaded;
      }
      throw error;
    }
  }

  /** The networks of the manifest, the present one or that of another folder; loads none, changes nothing. */
  async models({ models: folder = this.#settings.models, signal }: LoadNetworksOptions = {}): Promise<NetworkModel[]> {
    const { models } = await this.#manifest(folder, signal);
    return models.map(({ sha256: _, ...model }) => model);
  }

  /** Rows → refined rows, of the same shape. */
  async refine({ rows, seams }: Rows, task: TaskOptions): Promise<Float32Array> {
    const { refiner } = await this.ready(task);
    return reportingAsync(task, async (report) => {
      report("refine", 0);
      return this.#guarded(() => refiner.refine(rows, seams, (done) => report("refine", done)));
    });
  }

  /** The network of the present settings, loaded now if it was not. */
  ready(task: TaskOptions): Promise<Loaded> {
    if (!this.#loading || this.#loading.stopped) {
      const settings = this.#settings;
      this.#loading = new Shared((shared) => this.#start(settings, shared));
    }
    return this.#loading.wait(task);
  }

  async #start(settings: NetworkOptions, task: Required<TaskOptions>): Promise<Loaded> {
    const { models, where } = await this.#manifest(settings.models, task.signal);
    const model = choose(models, "rmr", settings.set, where);
    const progress = new Download(task, this.#module ? 0 : this.#files.wasmBytes, model.bytes);
    const [module, weights] = await Promise.all([
      this.#module ?? this.#startModule(settings, progress.part(0)),
      this.#weights(settings, model, models, progress.part(1)),
    ]);
    this.#module = module;
    const refiner = await this.#guarded(() => module.Refiner.load(weights, settings.device ?? "auto"));
    const loaded = { refiner, model };
    if (settings === this.#settings) this.#loaded = loaded;
    progress.end();
    return loaded;
  }

  /** Asks the module; one that stopped is not asked again. */
  async #guarded<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await guardedAsync(() => answered(ask()));
    } catch (error) {
      if (error instanceof KinestitchError && error.code === "wasm" && this.#module) {
        this.#module = undefined;
        this.#loading = undefined;
        this.#loaded = undefined;
        this.#stopped++;
      }
      throw error;
    }
  }

  async #manifest(folder: NetworkOptions["models"], signal?: AbortSignal): Promise<{ models: Listed[]; where: string }> {
    const place = this.#files.model("manifest.json", folder);
    try {
      const text = new TextDecoder().decode(await this.#read(place, signal ? { signal } : {}));
      const where = nameOf(place);
      return { models: parseManifest(text, where), where };
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #startModule({ wasm }: NetworkOptions, task: TaskOptions): Promise<NetworksModule> {
    // The script holds one module; its address with a query is another script.
    const script = this.#files.script().href + (this.#stopped > 0 ? `?${this.#stopped}` : "");
    if (wasm !== undefined && typeof wasm !== "string" && !(wasm instanceof URL)) return startModule(script, wasm, "as given");
    const place = this.#files.wasm(wasm);
    return startModule(script, (await this.#read(place, task)) as Uint8Array<ArrayBuffer>, nameOf(place));
  }

  async #weights({ models: folder }: NetworkOptions, model: Listed, all: Listed[], task: TaskOptions): Promise<Uint8Array> {
    const kept = await cached(model.sha256);
    if (kept && !(await mismatch(kept, model))) return kept;
    const place = this.#files.model(model.file, folder);
    try {
      const bytes = await this.#read(place, task);
      await verify(bytes, model, nameOf(place));
      await keep(model.sha256, bytes, all.map(({ sha256 }) => sha256));
      return bytes;
    } catch (error) {
      throw unreadable(error);
    }
  }
}

/** Adds up what comes of several files, for one bar. */
class Download {
  readonly #task: Required<TaskOptions>;
  readonly #come: number[];
  readonly #total: number;

  constructor(task: Required<TaskOptions>, ...sizes: number[]) {
    this.#task = task;
    this.#come = sizes.map(() => 0);
    this.#total = sizes.reduce((sum, size) => sum + size, 0);
    this.#report(0, 0);
  }

  part(index: number): Required<TaskOptions> {
    const onProgress = ({ bytes = 0 }: Progress): void => {
      this.#come[index] = bytes;
      const come = this.#come.reduce((sum, part) => sum + part, 0);
      // What was given or kept does not come, and loading itself takes a moment: never claim the end early.
      this.#report(Math.min(come, this.#total), 0.99);
    };
    return { signal: this.#task.signal, onProgress };
  }

  end(): void {
    this.#report(this.#total, 1);
  }

  #report(bytes: number, most: number): void {
    const done = Math.min(this.#total > 0 ? bytes / this.#total : 1, most);
    this.#task.onProgress({ stage: "network", done, bytes, totalBytes: this.#total });
  }
}

function describe({ refiner, model }: Loaded): NetworkInfo {
  const { sha256: _, ...rest } = model;
  const { asked, used, reason, cpuMilliseconds, webgpuMilliseconds } = refiner;
  return {
    ...rest,
    device: {
      asked: asked as Device,
      used: used as NetworkInfo["device"]["used"],
      reason,
      ...(cpuMilliseconds !== undefined && { cpuMilliseconds }),
      ...(webgpuMilliseconds !== undefined && { webgpuMilliseconds }),
    },
  };
}
