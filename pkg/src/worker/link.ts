/**
 * The page's side of the worker: one request at a time, in order, and aborts that work while wasm computes.
 *
 * A thread inside wasm cannot hear messages, and shared memory needs headers most sites do not send. So an abort waits
 * a moment for the answer, then ends the worker; the next request starts another. Nothing is lost: the page holds every
 * motion, and each request brings those along that the worker does not keep.
 */
import { aborted, KinestitchError, messageOf, throwIfAborted } from "../core/error.js";
import type { ReadLocation } from "../core/input.js";
import type { Packed } from "../core/packed.js";
import { quoted } from "../core/quote.js";
import { wrongOption } from "../core/options.js";
import type { NetworkOptions, TaskOptions } from "../core/types.js";
import type { FetchPart } from "../gltf/gather.js";
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

/** An aborted computation may still end by itself in this time; starting a worker anew takes about as long. */
const GRACE_MS = 50;

/** Wasm memory only grows. A worker that has more than this is ended when it has nothing to do; another one begins small. */
const LARGE_MEGABYTES = 512;

/** Bytes of motions that the worker keeps of those used last, so that using them again sends nothing. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Callbacks of a call; `parts` reads the files that a document names, when the thread asks for them. */
export interface CallTask extends TaskOptions {
  parts?: FetchPart;
}

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  options: CallTask;
}

export class WorkerLink {
  readonly #platform: WorkerPlatform;
  /** Motions whose clips were freed. */
  readonly #forgotten = new WeakSet<Packed>();
  readonly #calls = new Map<number, Call>();
  #port: WorkerPort | undefined;
  #script: string | undefined;
  #init: Init | undefined;
  #turns: Promise<unknown> = Promise.resolve();
  #count = 0;
  #hasSessions = false;
  /** Motions that the present worker keeps, and their bytes; the one used last stands last. */
  #kept = new Map<string, number>();
  /** Where networks lie, as the present worker was told. */
  #told: NetworkPlaces | undefined;

  constructor(platform: WorkerPlatform) {
    this.#platform = platform;
  }

  /** Sets where script and wasm lie, and loads them. What is left out stays as it was, and so does all of it after a failure. */
  async init(script: string | undefined, init: Init): Promise<void> {
    const before = { script: this.#script, init: this.#init };
    if (this.#port && script !== undefined && script !== this.#script) this.#stop(aborted());
    if (script !== undefined) this.#script = script;
    const networks = changed(this.#init?.networks ?? {}, init.networks ?? {});
    const setup = { ...this.#init, ...init, ...(Object.keys(networks).length > 0 && { networks }) };
    this.#init = setup;
    try {
      await this.turn(setup, {});
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

  /** Whether another one was made like this, and neither was told anything else since. */
  isLike(other: WorkerLink): boolean {
    return this.#script === other.#script && this.#init === other.#init;
  }

  /** Frees a session of steering. */
  release(session: number): void {
    this.#port?.post({ release: session });
  }

  /** Ends the worker with all that it keeps. */
  end(): void {
    this.#stop(aborted());
  }

  /** Asks when everything before has ended. An abort rejects at once, wherever the work stands. */
  async turn(request: Request, options: CallTask): Promise<unknown> {
    const { signal } = options;
    const taken = withMotions(request);
    let running = false;
    const result = this.#turns.then(async () => {
      throwIfAborted(signal);
      running = true;
      return this.#call(taken, options).finally(() => (running = false));
    });
    this.#turns = result.catch(() => {});
    return untilAborted(result, signal, () => {
      if (running) setTimeout(() => running && this.#stop(aborted(signal)), GRACE_MS);
    });
  }

  /** Asks at once, beside what else is asked. An abort rejects, and never ends the worker, which has other sessions. */
  async beside(request: Request, options: TaskOptions): Promise<unknown> {
    throwIfAborted(options.signal);
    return untilAborted(this.#call(withMotions(request), options), options.signal);
  }

  /** Asks about networks. This does not wait for its turn: motions are read and joined while files come. */
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
          // The abort of other work may have ended the worker: then another one is asked.
          if (!(error instanceof KinestitchError && error.code === "aborted") || signal?.aborted) throw error;
        }
      }
    } catch (error) {
      // Settings that did not work do not stay.
      if (settings !== before && this.#init?.networks === settings) this.#init = { ...this.#init, networks: before };
      throw error;
    }
  }

  #call(request: Request, options: CallTask): Promise<unknown> {
    const port = this.#start();
    this.#tell(port);
    const { signal } = options;
    const call = ++this.#count;
    const tell = (): void => port.post({ abort: call });
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject, options });
      signal?.addEventListener("abort", tell, { once: true });
      port.busy(true);
      try {
        const passing: string[] = [];
        port.post({ call, request: mapped(request, (part) => this.#sent(part, passing)) as Request });
        if (passing.length > 0) port.post({ drop: passing });
        this.#trim(port);
      } catch (error) {
        // What went along with it did not arrive.
        this.#kept.clear();
        this.#done(call);
        reject(error instanceof KinestitchError ? error : uncloneable(request, error));
      }
    }).finally(() => signal?.removeEventListener("abort", tell));
  }

  /** Lets go of a motion that the worker may keep. */
  forget(packed: Packed): void {
    this.#forgotten.add(packed);
    if (this.#kept.delete(packed.id)) this.#port?.post({ drop: [packed.id] });
  }

  /** What stands for a clip: its bytes, or the id alone where the worker keeps it. One that was freed meanwhile is `passing`. */
  #sent(part: object, passing: string[]): Sent | undefined {
    if (!(part instanceof Motion)) return undefined;
    const { sent } = part;
    const { id, bytes } = sent.$clip;
    const isKept = this.#kept.delete(id);
    if (this.#forgotten.has(sent.$clip)) passing.push(id);
    else this.#kept.set(id, bytes.length);
    return isKept ? { ...sent, $clip: { id } } : sent;
  }

  /** Lets the worker go of what was used longest ago. A request that was sent before holds what it needs. */
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
    // Messages are answered in order, so nothing overtakes this one; where it fails, the next request tells.
    if (this.#init) port.post({ call: 0, request: this.#init });
    return port;
  }

  /** The page knows where networks lie: `kinestitch/networks` is imported there. */
  #tell(port: WorkerPort): void {
    const places = networkPlaces();
    if (!places || places === this.#told) return;
    this.#told = places;
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
          const $clip = part.$clip as Packed;
          this.#kept.set($clip.id, $clip.bytes.length);
          return $aligned ? new RemoteStitched(this, $clip, $report, $aligned) : new RemoteResult(this, $clip, $report);
        }),
      );
    }
    const { code, message: text, ...place } = message.error;
    const error = new KinestitchError(code, text, place);
    call.reject(error);
    // A wasm module that stopped half-way is not to be trusted again; another one begins with empty memory.
    if (code === "wasm" || (code === "limit" && text.includes("no memory"))) this.#stop(error);
  }

  /** Reads a file that the thread has asked for. What the caller's own `resolve` throws is what the call rejects with. */
  async #answer(
    { ask, address }: { ask: number; address: string },
    { options: { parts }, reject }: Call,
  ): Promise<void> {
    const port = this.#port;
    try {
      const bytes = parts ? await parts(address) : undefined;
      if (!bytes) throw new KinestitchError("glb", `the file names another, ${quoted(address)}, which was not given`);
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
    this.#told = undefined;
    this.#kept.clear();
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

/** A clip among the arguments of a request, as it was when that was made: it may be freed while the request waits. */
class Motion {
  readonly sent: Sent & { readonly $clip: Packed };

  constructor(sent: Sent & { readonly $clip: Packed }) {
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

/** The error for a request that `postMessage` does not take. */
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
