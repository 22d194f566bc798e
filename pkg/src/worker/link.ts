/**
 * The page's side of the worker: one request at a time, in order, with aborts that take effect while wasm computes.
 *
 * A thread inside wasm receives no messages, and shared memory needs headers that most sites do not send. So an
 * abort waits a moment for the answer and then ends the worker; the next request starts another. Nothing is lost:
 * the page holds every motion, and each request includes those that the worker does not keep.
 */
import { aborted, KinestitchError, messageOf, throwIfAborted } from "../core/error.js";
import type { ReadLocation } from "../core/files.js";
import type { PackedMotion } from "../core/packed.js";
import { quote } from "../core/quote.js";
import { wrongOption } from "../core/options.js";
import type { NetworkOptions, TaskOptions } from "../core/types.js";
import type { FetchFile } from "../gltf/gather.js";
import { changed } from "../networks/network-settings.js";
import { networkPlaces, type NetworkPlaces } from "../networks/places.js";
import { RemoteClip, RemoteResult, RemoteStitched } from "./clip.js";
import {
  type FromWorker,
  type Init,
  isSent,
  mapped,
  type Request,
  type Sent,
  type TaskName,
  type ToWorker,
} from "./protocol.js";

/** One worker; hides the differences between Web Workers and Node's threads. */
export interface WorkerPort {
  /** Sets the receivers of messages and of the reason why the worker failed. */
  listen(receive: (message: FromWorker) => void, fail: (reason: string) => void): void;
  /** Sends a message; throws if it cannot be cloned. */
  post(message: ToWorker): void;
  /** Ends the worker at once. */
  terminate(): void;
  /** Sets whether an answer is awaited: Node ends a process whose threads are idle. */
  busy(busy: boolean): void;
}

/** Worker platform of an entry. */
export interface WorkerPlatform {
  /** Starts a worker; `script`: location of `worker-host.js`, by default beside the entry. */
  start(script: string | undefined): WorkerPort;
  /** Reads files on the page. */
  read: ReadLocation;
  /** An address in absolute form, usable by the worker. */
  resolve(location: URL | string): string;
}

/** Time in which an aborted computation may end normally; restarting a worker takes about as long. */
const GRACE_MS = 50;

/** Wasm memory only grows. A worker with more than this is ended when idle; its successor starts small. */
const LARGE_MEGABYTES = 512;

/** Bytes of recently used motions that the worker keeps, so that they need not be sent again. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Callbacks of a call; `parts` reads the files that a document refers to, when the thread requests them. */
export interface CallTask extends TaskOptions {
  /** Reader of the files that a glTF document refers to. */
  parts?: FetchFile;
}

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  options: CallTask;
}

/** Requests to one worker, which is started on first need. */
export class WorkerLink {
  readonly #platform: WorkerPlatform;
  /** Motions whose clips were freed. */
  readonly #forgotten = new WeakSet<PackedMotion>();
  readonly #calls = new Map<number, Call>();
  #port: WorkerPort | undefined;
  #script: string | undefined;
  #init: Init | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #count = 0;
  #hasSessions = false;
  /** Ids and sizes of the motions kept by the worker, most recently used last. */
  #kept = new Map<string, number>();
  /** Locations of networks as sent to the current worker. */
  #sentPlaces: NetworkPlaces | undefined;

  constructor(platform: WorkerPlatform) {
    this.#platform = platform;
  }

  /**
   * Sets the locations of script and wasm, and loads them. Omitted values are kept, and all of them after a failure.
   */
  async init(script: string | undefined, init: Init): Promise<void> {
    const before = { script: this.#script, init: this.#init };
    if (this.#port && script !== undefined && script !== this.#script) this.#stop(aborted());
    if (script !== undefined) this.#script = script;
    const networks = changed(this.#init?.networks ?? {}, init.networks ?? {});
    const setup = { ...this.#init, ...init, ...(Object.keys(networks).length > 0 && { networks }) };
    this.#init = setup;
    try {
      await this.enqueue(setup, {});
    } catch (error) {
      if (this.#init === setup) {
        this.#script = before.script;
        this.#init = before.init;
      }
      throw error;
    }
  }

  /** Another worker like this one, for sessions, which end with it. */
  another(): WorkerLink {
    const other = new WorkerLink(this.#platform);
    other.#script = this.#script;
    other.#init = this.#init;
    other.#hasSessions = true;
    return other;
  }

  /** Whether another link has the same settings. */
  isLike(other: WorkerLink): boolean {
    return this.#script === other.#script && this.#init === other.#init;
  }

  /** Frees a controller session. */
  release(session: number): void {
    this.#port?.post({ release: session });
  }

  /** Ends the worker with all its state. */
  end(): void {
    this.#stop(aborted());
  }

  /** Sends a request after all earlier ones have ended. An abort rejects at once, whatever the state of the work. */
  async enqueue(request: Request, options: CallTask): Promise<unknown> {
    const { signal } = options;
    const withBytes = withMotions(request);
    let running = false;
    const result = this.#queue.then(async () => {
      throwIfAborted(signal);
      running = true;
      return this.#call(withBytes, options).finally(() => (running = false));
    });
    this.#queue = result.catch(() => {});
    return untilAborted(result, signal, () => {
      if (running) setTimeout(() => running && this.#stop(aborted(signal)), GRACE_MS);
    });
  }

  /**
   * Sends a request at once, concurrently with others. An abort rejects, and never ends the worker, which has other
   * sessions.
   */
  async send(request: Request, options: TaskOptions): Promise<unknown> {
    throwIfAborted(options.signal);
    return untilAborted(this.#call(withMotions(request), options), options.signal);
  }

  /**
   * Sends a request about networks, without waiting for earlier requests, so that clips are read and joined during
   * downloads.
   */
  async network(name: TaskName, options: NetworkOptions, task: TaskOptions): Promise<unknown> {
    const { signal } = task;
    throwIfAborted(signal);
    const before = this.#init?.networks ?? {};
    const settings = name === "loadNetworks" ? changed(before, options) : before;
    if (settings !== before) this.#init = { do: "init", ...this.#init, networks: settings };
    try {
      for (;;) {
        try {
          return await untilAborted(this.#call({ do: "task", name, args: [], options }, task), signal);
        } catch (error) {
          // The abort of other work may have ended the worker; then the request is repeated.
          if (!(error instanceof KinestitchError && error.code === "aborted") || signal?.aborted) throw error;
        }
      }
    } catch (error) {
      // Settings that failed are undone.
      if (settings !== before && this.#init?.networks === settings) this.#init = { ...this.#init, networks: before };
      throw error;
    }
  }

  #call(request: Request, options: CallTask): Promise<unknown> {
    const port = this.#start();
    this.#sendPlaces(port);
    const { signal } = options;
    const call = ++this.#count;
    const abort = (): void => port.post({ abort: call });
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject, options });
      signal?.addEventListener("abort", abort, { once: true });
      port.busy(true);
      try {
        const passing: string[] = [];
        port.post({ call, request: mapped(request, (part) => this.#sent(part, passing)) as Request });
        if (passing.length > 0) port.post({ drop: passing });
        this.#trim(port);
      } catch (error) {
        // Motions sent with the request did not arrive.
        this.#kept.clear();
        this.#done(call);
        reject(error instanceof KinestitchError ? error : uncloneable(request, error));
      }
    }).finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Removes a motion that the worker may keep. */
  forget(packed: PackedMotion): void {
    this.#forgotten.add(packed);
    if (this.#kept.delete(packed.id)) this.#port?.post({ drop: [packed.id] });
  }

  /**
   * Placeholder of a clip: its bytes, or only the id if the worker keeps it. Freed clips are added to `passing`.
   */
  #sent(part: object, passing: string[]): Sent | undefined {
    if (!(part instanceof Motion)) return undefined;
    const { sent } = part;
    const { id, bytes } = sent.$clip;
    const isKept = this.#kept.delete(id);
    if (this.#forgotten.has(sent.$clip)) passing.push(id);
    else this.#kept.set(id, bytes.length);
    return isKept ? { ...sent, $clip: { id } } : sent;
  }

  /** Removes the least recently used motions from the worker. Requests sent before have their own references. */
  #trim(port: WorkerPort): void {
    let bytes = 0;
    for (const length of this.#kept.values()) bytes += length;
    const drop: string[] = [];
    for (const [id, length] of this.#kept) {
      if (bytes <= KEPT_BYTES) break;
      bytes -= length;
      drop.push(id);
    }
    drop.forEach((id) => this.#kept.delete(id));
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
    // Messages are answered in order, so nothing overtakes this one; if it fails, the next request reports that.
    if (this.#init) port.post({ call: 0, request: this.#init });
    return port;
  }

  /** Only the page knows the locations of networks, because `kinestitch/networks` is imported there. */
  #sendPlaces(port: WorkerPort): void {
    const places = networkPlaces();
    if (!places || places === this.#sentPlaces) return;
    this.#sentPlaces = places;
    port.post({ places });
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
    if ("ask" in message) {
      void this.#answer(message, call);
      return;
    }
    this.#done(message.call);
    if ("result" in message) {
      if (message.megabytes > LARGE_MEGABYTES && this.#calls.size === 0 && !this.#hasSessions) this.#stop(aborted());
      return call.resolve(
        mapped(message.result, (part) => {
          if (!isSent(part)) return ArrayBuffer.isView(part) ? part : undefined;
          const { $report, $aligned } = part;
          const $clip = part.$clip as PackedMotion;
          this.#kept.set($clip.id, $clip.bytes.length);
          return $aligned ? new RemoteStitched(this, $clip, $report, $aligned) : new RemoteResult(this, $clip, $report);
        }),
      );
    }
    const { code, message: text, ...place } = message.error;
    const error = new KinestitchError(code, text, place);
    call.reject(error);
    // A stopped wasm module is not used again; its successor starts with empty memory.
    if (code === "wasm" || (code === "limit" && text.includes("no memory"))) this.#stop(error);
  }

  /** Reads a file that the thread requested. Exceptions of the caller's own `resolve` reject the call. */
  async #answer(
    { ask, address }: { ask: number; address: string },
    { options: { parts }, reject }: Call,
  ): Promise<void> {
    const port = this.#port;
    try {
      const bytes = parts ? await parts(address) : undefined;
      if (!bytes)
        throw new KinestitchError("glb", `the file refers to another file, ${quote(address)}, which is missing`);
      if (port === this.#port) port?.post({ answer: ask, bytes });
    } catch (error) {
      reject(error);
      const { code, message } =
        error instanceof KinestitchError ? error : { code: "fetch" as const, message: messageOf(error) };
      if (port === this.#port) port?.post({ answer: ask, error: { code, message } });
    }
  }

  #done(call: number): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#port?.busy(false);
  }

  /** Ends the worker; the next request starts another. */
  #stop(error: KinestitchError): void {
    this.#port?.terminate();
    this.#port = undefined;
    this.#sentPlaces = undefined;
    this.#kept.clear();
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

/**
 * A clip among the arguments of a request, captured when the request is made: it may be freed while the request
 * waits.
 */
class Motion {
  readonly sent: Sent & { readonly $clip: PackedMotion };

  constructor(sent: Sent & { readonly $clip: PackedMotion }) {
    this.sent = sent;
  }
}

/** The request with the motions of its clips. */
function withMotions(request: Request): Request {
  return mapped(request, (part) => {
    const sent = RemoteClip.sent(part);
    return sent && new Motion(sent);
  }) as Request;
}

/** The error for a request that `postMessage` cannot clone. */
function uncloneable(request: Request, cause: unknown): KinestitchError {
  const options =
    request.do === "task" || request.do === "gltf" || request.do === "steer"
      ? request.options
      : request.do === "init"
        ? request
        : {};
  const wrong = Object.entries(options).find(([, value]) => {
    try {
      structuredClone(mapped(value, (part) => (part instanceof Motion ? null : undefined)));
      return false;
    } catch {
      return true;
    }
  });
  const name = wrong?.[0] ?? "arguments";
  return wrongOption(name, `${name} cannot be sent to a worker: ${messageOf(cause)}`);
}

/** Settles as `result`, or rejects as soon as the signal is aborted. */
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
