/**
 * The page's side of the worker: one request at a time, in order, and aborts that work while wasm computes.
 *
 * A thread inside wasm cannot hear messages, and shared memory needs headers most sites do not send. So an abort waits
 * a moment for the answer, then ends the worker and starts another. Nothing is lost: every clip is known by its recipe
 * (its file, or the clips and options it was made from), and is made again when it is next used.
 */
import { aborted, KinestitchError, throwIfAborted } from "./error.js";
import type { ReadLocation } from "./input.js";
import { changed } from "./network-settings.js";
import type { ClipId, FromWorker, NetworkRequests, Questions, Reads, Recipe, Request, Summary, ToWorker } from "./protocol.js";
import type { LoadNetworksOptions, NetworkOptions, TaskOptions } from "./types.js";

/** One worker, and what differs between Web Workers and Node's threads. */
export interface WorkerPort {
  listen(receive: (message: FromWorker) => void, fail: (reason: string) => void): void;
  post(message: ToWorker): void;
  terminate(): void;
  /** Tells whether an answer is awaited: Node ends a process whose threads are idle. */
  busy(busy: boolean): void;
}

/** What an entry brings. */
export interface WorkerPlatform {
  start(script: string | undefined): WorkerPort;
  read: ReadLocation;
  /** An address as the worker can use it: absolute. */
  resolve(location: URL | string): string;
}

/** A clip as the page knows it; collected by the garbage collector, it is freed in the worker. */
export interface Entry {
  id: ClipId;
  recipe: Recipe;
  /** Clips the recipe names. */
  needs: Entry[];
}

/** An aborted computation may still end by itself in this time; starting a worker anew takes about as long. */
const GRACE_MS = 50;

type Init = Extract<Request, { do: "init" }>;

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  options: TaskOptions;
}

export class WorkerLink {
  readonly #platform: WorkerPlatform;
  readonly #calls = new Map<number, Call>();
  readonly #registry = new FinalizationRegistry<ClipId>((id) => this.#free(id));
  /** Clips the present worker holds. */
  #held = new Set<ClipId>();
  #port: WorkerPort | undefined;
  #setup: { script?: string; init?: Init } = {};
  /** A network was loaded with the present settings. */
  #loaded = false;
  #turns: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(platform: WorkerPlatform) {
    this.#platform = platform;
  }

  /** Whether a network was loaded; a worker started anew loads it again when it is next needed. */
  get hasNetworks(): boolean {
    return this.#loaded;
  }

  /** Sets where script and wasm lie, and loads them. */
  async init(script: string | undefined, init: Init): Promise<void> {
    if (this.#port && script !== this.#setup.script) this.#stop(aborted());
    this.#configure(init.networks ?? {});
    this.#setup = { init: { ...init, networks: this.#setup.init?.networks } };
    if (script !== undefined) this.#setup.script = script;
    const request = this.#setup.init as Init;
    await this.#task({}, () => this.#call(request, {}));
  }

  /** Asks about networks. This does not wait for its turn: motions are read and joined while files come. */
  async network<N extends keyof NetworkRequests>(name: N, all: LoadNetworksOptions): Promise<NetworkRequests[N]> {
    const { signal, onProgress, ...options } = all;
    throwIfAborted(signal);
    if (name === "loadNetworks") this.#configure(options);
    const settings = this.#setup.init?.networks;
    for (;;) {
      try {
        const task = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
        const result = (await untilAborted(this.#call({ do: name, options }, task), signal)) as NetworkRequests[N];
        if (name === "loadNetworks" && settings === this.#setup.init?.networks) this.#loaded = true;
        return result;
      } catch (error) {
        // The abort of other work may have ended the worker: then another one is asked.
        if (!(error instanceof KinestitchError && error.code === "aborted") || signal?.aborted) throw error;
      }
    }
  }

  #configure(options: NetworkOptions): void {
    const before = this.#setup.init?.networks ?? {};
    const networks = changed(before, options);
    if (networks === before) return;
    this.#setup.init = { do: "init", ...this.#setup.init, networks };
    this.#loaded = false;
  }

  /** Makes a clip; `needs` are the clips its recipe names. */
  async make(recipe: Recipe, needs: Entry[], options: TaskOptions): Promise<{ entry: Entry; summary: Summary }> {
    const entry = { id: ++this.#count, recipe, needs };
    const summary = await this.#task(options, () => this.#make(entry, options));
    this.#registry.register(entry, entry.id);
    return { entry, summary };
  }

  /** Asks a clip. */
  read<M extends keyof Reads>(entry: Entry, method: M, options: TaskOptions): Promise<Reads[M]> {
    return this.#task(options, async () => {
      await this.#hold(entry);
      return (await this.#call({ do: "read", id: entry.id, method }, options)) as Reads[M];
    });
  }

  /** Asks about two clips. */
  ask<Q extends keyof Questions>(
    question: Q,
    [a, b]: [Entry, Entry],
    all: Questions[Q][0],
  ): Promise<Questions[Q][1]> {
    const { signal, onProgress, ...options } = all;
    const task = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return this.#task(task, async () => {
      await this.#hold(a);
      await this.#hold(b);
      const request = { do: "ask", question, clips: [a.id, b.id], options } as const;
      return (await this.#call(request as unknown as Request, task)) as Questions[Q][1];
    });
  }

  async #make(entry: Entry, options: TaskOptions): Promise<Summary> {
    for (const need of entry.needs) await this.#hold(need);
    const settings = this.#setup.init?.networks;
    const { recipe } = entry;
    const summary = await this.#call({ do: "make", id: entry.id, recipe }, options);
    this.#held.add(entry.id);
    const refined = recipe.make === "stitch" && recipe.options.method === "rmr";
    if (refined && settings === this.#setup.init?.networks) this.#loaded = true;
    return summary as Summary;
  }

  async #hold(entry: Entry): Promise<void> {
    if (!this.#held.has(entry.id)) await this.#make(entry, {});
  }

  #free(id: ClipId): void {
    if (this.#held.delete(id)) this.#port?.post({ free: id });
  }

  /** Runs `work` when everything before it has ended. An abort rejects at once, wherever the work stands. */
  #task<T>(options: TaskOptions, work: () => Promise<T>): Promise<T> {
    const { signal } = options;
    let running = false;
    const result = this.#turns.then(async () => {
      throwIfAborted(signal);
      running = true;
      return work().finally(() => (running = false));
    });
    this.#turns = result.catch(() => {});
    return untilAborted(result, signal, () => {
      if (running) setTimeout(() => running && this.#stop(aborted(signal)), GRACE_MS);
    });
  }

  #call(request: Request, options: TaskOptions): Promise<unknown> {
    const port = this.#start();
    const { signal } = options;
    const call = ++this.#count;
    const tell = (): void => port.post({ abort: call });
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject, options });
      signal?.addEventListener("abort", tell, { once: true });
      port.busy(true);
      port.post({ call, request });
    }).finally(() => signal?.removeEventListener("abort", tell));
  }

  #start(): WorkerPort {
    if (this.#port) return this.#port;
    const port = this.#platform.start(this.#setup.script);
    port.listen(
      (message) => port === this.#port && this.#receive(message),
      (reason) => port === this.#port && this.#stop(new KinestitchError("wasm", `the worker stopped: ${reason}`)),
    );
    this.#port = port;
    // Messages are answered in order, so nothing overtakes this one; where it fails, the next request tells.
    if (this.#setup.init) port.post({ call: 0, request: this.#setup.init });
    return port;
  }

  #receive(message: FromWorker): void {
    const call = this.#calls.get(message.call);
    if (!call) return;
    if ("progress" in message) {
      try {
        if (!call.options.signal?.aborted) call.options.onProgress?.(message.progress);
      } catch (error) {
        call.reject(error);
      }
      return;
    }
    this.#calls.delete(message.call);
    if (this.#calls.size === 0) this.#port?.busy(false);
    if ("result" in message) return call.resolve(message.result);
    const { code, message: text, line, column } = message.error;
    const error = new KinestitchError(code, text, { line, column });
    call.reject(error);
    // A wasm module that stopped half-way is not to be trusted again.
    if (code === "wasm") this.#stop(error);
  }

  /** Ends the worker; the next request starts another. */
  #stop(error: KinestitchError): void {
    this.#port?.terminate();
    this.#port = undefined;
    this.#held.clear();
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

/** `result`, or a rejection as soon as the signal is aborted. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined, onAbort = (): void => {}): Promise<T> {
  if (!signal) return result;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      reject(aborted(signal));
      onAbort();
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
