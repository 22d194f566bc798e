/**
 * The page's side of the worker: sends one request at a time, in order. An abort takes effect even while wasm computes.
 *
 * A thread inside wasm receives no messages, and shared memory needs headers that most sites do not send. So an
 * abort waits {@link GRACE_MS} for the answer and then ends the worker; the next request starts another one. Nothing is
 * lost: the page holds all motions, and each request includes the motions that the worker does not keep. The page also
 * knows which networks the worker had loaded; the next worker loads them when they are needed.
 */
import { AlignedClip, type ClipBackend, type ClipMethod, ReportedClip } from "../core/clip.js";
import { aborted, KinestitchError, messageOf, throwIfAborted } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import type { PackedMotion } from "../core/packed.js";
import { quote } from "../core/quote.js";
import type { NetworkOptions, TaskOptions } from "../core/types.js";
import type { FetchFile } from "../gltf/gather.js";
import type { NetworksSnapshot } from "../networks/loaded.js";
import { commonOptions, mergeSettings } from "../networks/network-settings.js";
import { networkUrls, type NetworkUrls } from "../networks/urls.js";
import { CapturedClip, captureClips, cloneError } from "./captured-clips.js";
import {
  type FromWorker,
  type Init,
  isPlaceholder,
  replaceObjects,
  type Request,
  type ClipPlaceholder,
  type TaskName,
  type ToWorker,
} from "./protocol.js";

/** A worker: common interface of Web Workers and Node's worker threads. */
export interface WorkerPort {
  /** Sets the receivers of messages and of the reason why the worker failed. */
  listen(receive: (message: FromWorker) => void, fail: (reason: string) => void): void;
  /** Sends a message; throws if it cannot be cloned. */
  post(message: ToWorker): void;
  /** Ends the worker at once. */
  terminate(): void;
  /**
   * Sets whether an answer is awaited, so that Node waits for it: by itself, the worker does not keep the process
   * alive.
   */
  setBusy(isBusy: boolean): void;
}

/** Functions of a package entry point that depend on the platform. */
export interface WorkerPlatform {
  /** Starts a worker; `script`: URL of the worker script, by default the one of the entry point. */
  start(script: string | undefined): WorkerPort;
  /** Reads files on the page. */
  read: ReadLocation;
  /** Returns the absolute URL of a location, which the worker can use. */
  resolve(location: URL | string): string;
}

/** Time in which an aborted computation may end normally, milliseconds; a restart of a worker takes about as long. */
const GRACE_MS = 50;

/**
 * Maximum wasm memory of an idle worker, megabytes. Wasm memory only grows, so a worker with more memory is ended.
 */
const MAX_IDLE_MEGABYTES = 512;

/** Maximum size of the motions that the worker keeps, so that they need not be sent again; bytes. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

/** Signal and callbacks of a call. */
export interface CallTask extends TaskOptions {
  /** Reads the files that a glTF document refers to, when the thread requests them. */
  readFile?: FetchFile;
}

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  options: CallTask;
}

/** Requests to one worker, which is started on first need. */
export class WorkerLink implements ClipBackend {
  readonly #platform: WorkerPlatform;
  /** Motions of freed clips. */
  readonly #freedMotions = new WeakSet<PackedMotion>();
  readonly #calls = new Map<number, Call>();
  #port: WorkerPort | undefined;
  #script: string | undefined;
  #init: Init | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends with the last call of `init`. */
  #initialised: Promise<unknown> = Promise.resolve();
  #callCount = 0;
  #hasSessions = false;
  /** Ids and sizes of the motions kept by the worker, most recently used last. */
  #keptSizes = new Map<string, number>();
  /** Networks of the worker after its last answer. */
  #networks: NetworksSnapshot | undefined;
  /** URLs of networks as sent to the current worker. */
  #sentNetworkUrls: NetworkUrls | undefined;

  constructor(platform: WorkerPlatform) {
    this.#platform = platform;
  }

  /**
   * Sets the locations of script and wasm, and loads the wasm module, after all earlier requests. An omitted value is
   * kept; after a failure, the values before this call are restored.
   */
  async init(script: string | undefined, init: Init): Promise<void> {
    // Throws for an invalid device.
    mergeSettings({}, init.networks ?? {});
    const result = this.#queue.then(() => this.#setUp(script, init));
    this.#queue = this.#initialised = result.catch(() => {});
    return result;
  }

  /** Resolves when all earlier calls of `init` have ended, so that a request outside the queue uses their settings. */
  async settled(): Promise<void> {
    await this.#initialised;
  }

  async #setUp(script: string | undefined, init: Init): Promise<void> {
    const previous = { script: this.#script, init: this.#init, networks: this.#networks };
    const oldSettings = this.#init?.networks ?? {};
    const networks = mergeSettings(oldSettings, init.networks ?? {});
    // As in the thread, networks that were loaded with other settings are no longer loaded.
    if (networks !== oldSettings && this.#networks) this.#networks = { ...this.#networks, loaded: new Map() };
    if (this.#port && script !== undefined && script !== this.#script) this.#stop(aborted());
    if (script !== undefined) this.#script = script;
    const setup = { ...this.#init, ...init, ...(Object.keys(networks).length > 0 && { networks }) };
    this.#init = setup;
    try {
      await this.#call(setup, {});
    } catch (error) {
      // A worker with another script, or one that has the settings in part, is not used again.
      this.#stop(aborted());
      this.#script = previous.script;
      this.#networks = previous.networks;
      if (this.#init === setup) this.#init = previous.init;
      throw error;
    }
  }

  /** Creates a link to another worker, with the same settings, for controller sessions. */
  createSibling(): WorkerLink {
    const sibling = new WorkerLink(this.#platform);
    sibling.#script = this.#script;
    sibling.#init = this.#init;
    sibling.#hasSessions = true;
    return sibling;
  }

  /** Returns whether another link has the same settings, also if they were set by another call of `init`. */
  hasSettingsOf(sibling: WorkerLink): boolean {
    const keys = ["wasm", "networks", "method"] as const;
    return this.#script === sibling.#script && keys.every((key) => this.#init?.[key] === sibling.#init?.[key]);
  }

  /** Frees a controller session. */
  release(session: number): void {
    this.#port?.post({ release: session });
  }

  /** Ends the worker; its controller sessions are lost. */
  end(): void {
    this.#stop(aborted());
  }

  /**
   * Sends a request after all earlier ones have ended. An abort rejects the promise at once, even during the
   * computation.
   */
  async enqueue(request: Request, options: CallTask): Promise<unknown> {
    const { signal } = options;
    const captured = captureClips(request);
    let running = false;
    const result = this.#queue.then(async () => {
      throwIfAborted(signal);
      running = true;
      return this.#call(captured, options).finally(() => (running = false));
    });
    this.#queue = result.catch(() => {});
    return untilAborted(result, signal, () => {
      if (running) setTimeout(() => running && this.#stop(aborted(signal)), GRACE_MS);
    });
  }

  /**
   * Sends a request at once, concurrently with other requests. An abort rejects the promise, but does not end the
   * worker, which has other sessions.
   */
  async send(request: Request, options: TaskOptions): Promise<unknown> {
    throwIfAborted(options.signal);
    return untilAborted(this.#call(captureClips(request), options), options.signal);
  }

  /**
   * Sends a request about networks without waiting for earlier requests, so that clips are read and joined during
   * downloads.
   */
  async network(name: TaskName, options: NetworkOptions, task: TaskOptions): Promise<unknown> {
    const { signal } = task;
    throwIfAborted(signal);
    await untilAborted(this.#initialised, signal);
    for (;;) {
      const previous = this.#init?.networks ?? {};
      const settings = name === "loadNetworks" ? mergeSettings(previous, commonOptions(options)) : previous;
      // A new worker starts with the previous settings, which it restores if this request fails.
      this.#start();
      if (settings !== previous) this.#init = { do: "init", ...this.#init, networks: settings };
      try {
        return await untilAborted(this.#call({ do: "task", name, args: [], options }, task), signal);
      } catch (error) {
        if (settings !== previous && this.#init?.networks === settings)
          this.#init = { ...this.#init, networks: previous };
        // The abort of another request may have ended the worker; then this request is repeated.
        if (!(error instanceof KinestitchError && error.code === "aborted") || signal?.aborted) throw error;
      }
    }
  }

  /** Computes a method of a clip, see {@link enqueue}. */
  compute(clip: PackedMotion, method: ClipMethod, args: readonly unknown[], task: TaskOptions): Promise<unknown> {
    return this.enqueue({ do: "clip", clip: new CapturedClip(clip), method, args }, task);
  }

  #call(request: Request, options: CallTask): Promise<unknown> {
    const port = this.#start();
    this.#sendNetworkUrls(port);
    const { signal } = options;
    const call = ++this.#callCount;
    const abort = (): void => port.post({ abort: call });
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject, options });
      signal?.addEventListener("abort", abort, { once: true });
      port.setBusy(true);
      const freedIds: string[] = [];
      try {
        port.post({
          call,
          request: replaceObjects(request, (value) => this.#placeholderOf(value, freedIds)) as Request,
        });
        if (freedIds.length > 0) port.post({ drop: freedIds });
        this.#dropOldMotions(port);
      } catch (error) {
        // The worker did not receive the motions of the request; it removes all others that it keeps.
        const drop = [...this.#keptSizes.keys(), ...freedIds];
        this.#keptSizes.clear();
        if (drop.length > 0) port.post({ drop });
        this.#endCall(call);
        reject(error instanceof KinestitchError ? error : cloneError(request, error));
      }
    }).finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Removes a motion that the worker may keep. */
  forget(packed: PackedMotion): void {
    this.#freedMotions.add(packed);
    if (this.#keptSizes.delete(packed.id)) this.#port?.post({ drop: [packed.id] });
  }

  /**
   * Returns the placeholder of a clip: with its bytes, or only its id if the worker keeps the motion. The ids of freed
   * clips are added to `freedIds`.
   */
  #placeholderOf(value: object, freedIds: string[]): ClipPlaceholder | undefined {
    if (!(value instanceof CapturedClip)) return undefined;
    const { packed } = value;
    const { id, bytes } = packed;
    const isKept = this.#keptSizes.delete(id);
    if (this.#freedMotions.has(packed)) freedIds.push(id);
    else this.#keptSizes.set(id, bytes.length);
    return { $clip: isKept ? { id } : packed, $report: {} };
  }

  /** Removes the least recently used motions from the worker. Running requests keep the motions that they use. */
  #dropOldMotions(port: WorkerPort): void {
    let bytes = 0;
    for (const length of this.#keptSizes.values()) bytes += length;
    const drop: string[] = [];
    for (const [id, length] of this.#keptSizes) {
      if (bytes <= MAX_KEPT_BYTES) break;
      bytes -= length;
      drop.push(id);
    }
    drop.forEach((id) => this.#keptSizes.delete(id));
    if (drop.length > 0) port.post({ drop });
  }

  #start(): WorkerPort {
    if (this.#port) return this.#port;
    const port = this.#platform.start(this.#script);
    port.listen(
      (message) => port === this.#port && this.#receive(message),
      (reason) => port === this.#port && this.#stop(new KinestitchError("wasm", `the worker stopped: ${reason}`)),
    );
    this.#port = port;
    // Messages are handled in order, so this one comes first. If it fails, the next request reports the error.
    if (this.#init) port.post({ call: 0, request: this.#init });
    if (this.#networks) port.post({ networks: this.#networks });
    return port;
  }

  /** Sends the URLs of networks, which only the page knows, because `kinestitch/networks` is imported there. */
  #sendNetworkUrls(port: WorkerPort): void {
    const urls = networkUrls();
    if (!urls || urls === this.#sentNetworkUrls) return;
    this.#sentNetworkUrls = urls;
    port.post({ networkUrls: urls });
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
    if ("fileRequest" in message) {
      void this.#answer(message, call);
      return;
    }
    this.#endCall(message.call);
    this.#networks = message.networks ?? this.#networks;
    if ("result" in message) {
      const result = replaceObjects(message.result, (value) => {
        if (!isPlaceholder(value)) return ArrayBuffer.isView(value) ? value : undefined;
        const { $report, $aligned } = value;
        const $clip = value.$clip as PackedMotion;
        this.#keptSizes.set($clip.id, $clip.bytes.length);
        return $aligned ? new AlignedClip(this, $clip, $report, $aligned) : new ReportedClip(this, $clip, $report);
      });
      // After the result was read: a new worker keeps none of its motions.
      if (message.megabytes > MAX_IDLE_MEGABYTES && this.#calls.size === 0 && !this.#hasSessions) this.#stop(aborted());
      return call.resolve(result);
    }
    const { code, message: text, ...details } = message.error;
    const error = new KinestitchError(code, text, details);
    call.reject(error);
    // A crashed wasm module is not used again; the next worker starts with empty memory.
    if (code === "wasm" || (code === "limit" && text.includes("no memory"))) this.#stop(error);
  }

  /** Reads a file that the thread has requested. An exception of the user's `resolve` rejects the call. */
  async #answer(
    { fileRequest, address }: { fileRequest: number; address: string },
    { options: { readFile }, reject }: Call,
  ): Promise<void> {
    const port = this.#port;
    try {
      const bytes = readFile ? await readFile(address) : undefined;
      if (!bytes)
        throw new KinestitchError("glb", `the file refers to another file, ${quote(address)}, which is missing`);
      if (port === this.#port) port?.post({ answer: fileRequest, bytes });
    } catch (error) {
      reject(error);
      const { code, message } =
        error instanceof KinestitchError ? error : { code: "fetch" as const, message: messageOf(error) };
      if (port === this.#port) port?.post({ answer: fileRequest, error: { code, message } });
    }
  }

  #endCall(call: number): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#port?.setBusy(false);
  }

  /** Ends the worker and rejects its calls; the next request starts another worker. */
  #stop(error: KinestitchError): void {
    this.#port?.terminate();
    this.#port = undefined;
    this.#sentNetworkUrls = undefined;
    this.#keptSizes.clear();
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

/** Settles like `result`, or rejects as soon as the signal is aborted. */
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
