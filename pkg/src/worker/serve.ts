/** The worker's thread: runs the requests of `protocol.ts` by functions of the package, and answers the page. */
import { AlignedClip, clipMethods, KinestitchClip } from "../core/clip.js";
import { onThread } from "../core/clip-methods.js";
import { KinestitchError, messageOf, wasmMemory } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { Clip, Progress, ResolveFile, TaskOptions } from "../core/types.js";
import type * as tasks from "../tasks/index.js";
import type { Networks } from "../networks/networks.js";
import { provideNetworks } from "../networks/urls.js";
import { ControllerHost } from "./controller-host.js";
import { FileRequests } from "./file-requests.js";
import {
  type FromWorker,
  type GltfTasks,
  isPlaceholder,
  type NetworksAfterCall,
  replaceObjects,
  type PlainError,
  type Request,
  type ClipPlaceholder,
  type ToWorker,
} from "./protocol.js";

/** The thread's end of the message channel to the page. */
export interface Port {
  listen(receive: (message: ToWorker) => void): void;
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
}

/** Minimum interval between progress messages of a stage, milliseconds. */
const PROGRESS_INTERVAL = 16;

/** The functions that a thread runs; `kinestitch/small` has only the required ones and `animations`. */
export type ServedFunctions = Pick<typeof tasks, "init" | "load"> & Partial<typeof tasks> & Partial<GltfTasks>;

/** Runs the requests that arrive at a port. `functions`: the functions of this thread; `networks`: its networks, if any. */
export function serve(functions: ServedFunctions, port: Port, networks?: Networks): void {
  const running = new Map<number, AbortController>();
  const keptMotions = new Map<string, PackedMotion>();
  const controllers = new ControllerHost();
  const fileRequests = new FileRequests((message) => port.post(message, []));
  /** Returns the networks for the answer to a request; no others than these requests change them. */
  const networksAfter = ({ do: kind }: Request): NetworksAfterCall =>
    networks && (kind === "init" || kind === "task") ? { networks: networks.snapshot() } : {};

  port.listen(async (message) => {
    // While wasm code runs, the thread receives no messages. They arrive when a computation awaits a promise.
    if ("answer" in message) return fileRequests.receiveAnswer(message);
    if ("abort" in message) return running.get(message.abort)?.abort();
    if ("networkUrls" in message) return provideNetworks(() => message.networkUrls);
    if ("networks" in message) return networks?.restore(message.networks);
    if ("release" in message) return controllers.release(message.release);
    if ("drop" in message) return message.drop.forEach((id) => keptMotions.delete(id));
    const { call, request } = message;
    const controller = new AbortController();
    running.set(call, controller);
    try {
      const onProgress = throttle((progress) => port.post({ call, progress }, []));
      const value = await runRequest(functions, keptMotions, controllers, request, {
        signal: controller.signal,
        onProgress,
        resolve: fileRequests.readerOf(call),
      });
      const buffers = new Set<ArrayBuffer>();
      const result = replaceObjects(value, (object) => placeholderOf(object, keptMotions, buffers));
      port.post({ call, result, megabytes: wasmMemory.megabytes(), ...networksAfter(request) }, [...buffers]);
    } catch (error) {
      port.post({ call, error: toPlainError(error), ...networksAfter(request) }, []);
    } finally {
      running.delete(call);
    }
  });
}

async function runRequest(
  functions: ServedFunctions,
  keptMotions: Map<string, PackedMotion>,
  controllers: ControllerHost,
  request: Request,
  { resolve, ...task }: Required<TaskOptions> & { resolve: ResolveFile },
): Promise<unknown> {
  const toClip = (value: object): Clip | undefined => clipOf(value, keptMotions);
  switch (request.do) {
    case "init": {
      const { do: _, ...options } = request;
      return functions.init(options);
    }
    case "task":
    case "gltf": {
      const run = functions[request.name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (!run) throw new KinestitchError("option", `this worker has no ${request.name}; import "kinestitch/worker"`);
      const args = request.args.map((arg) => replaceObjects(arg, toClip));
      // In a new thread, the module may not have started yet; the other functions start it themselves.
      if (request.name === "animateGlb") await functions.init();
      const readsFiles = request.do === "gltf" || request.name === "load";
      return run(...args, {
        ...(replaceObjects(request.options, toClip) as object),
        ...task,
        ...(readsFiles && { resolve }),
      });
    }
    case "createController":
      return controllers.create(request.session, functions.createController, {
        ...(replaceObjects(request.options, toClip) as object),
        ...task,
      });
    case "controllerMethod":
      return controllers.call(request.session, request.method, request.args);
    case "clip": {
      // The motions are read before the first `await`, because the page may remove them with its next message.
      const clip = KinestitchClip.packedOf(toClip(request.clip), "the clip");
      const args = request.args.map((arg) => replaceObjects(arg, toClip));
      // In a new thread, the module may not have started yet.
      await functions.init();
      if (!clipMethods.includes(request.method))
        throw new KinestitchError("option", `a clip has no method "${request.method}"`);
      return onThread.compute(clip, request.method, args, task);
    }
  }
}

/** Returns the clip of a placeholder, and keeps its motion until the page removes it; `undefined` for other objects. */
function clipOf(value: object, keptMotions: Map<string, PackedMotion>): KinestitchClip | undefined {
  if (!isPlaceholder(value)) return undefined;
  const { $clip } = value;
  const packed = "bytes" in $clip ? $clip : keptMotions.get($clip.id);
  if (!packed) throw new KinestitchError("wasm", `the worker keeps no motion ${$clip.id}`);
  keptMotions.set(packed.id, packed);
  return new KinestitchClip(onThread, packed);
}

/**
 * Returns the placeholder of a clip, and typed arrays unchanged; returns `undefined` for other objects. Adds the
 * buffers of both to `buffers`, which are transferred to the page instead of copied.
 */
function placeholderOf(value: object, keptMotions: Map<string, PackedMotion>, buffers: Set<ArrayBuffer>): unknown {
  if (ArrayBuffer.isView(value)) {
    buffers.add(value.buffer as ArrayBuffer);
    return value;
  }
  if (!(value instanceof KinestitchClip)) return undefined;
  const transfer = (packed: PackedMotion): PackedMotion => {
    buffers.add(packed.bytes.buffer);
    return packed;
  };
  const packed = KinestitchClip.packedOf(value, "the result");
  keptMotions.set(packed.id, packed);
  // Properties that a result has in addition to the properties of a clip, such as seams.
  const { name: _, frames: __, fps: ___, ...report } = value;
  const aligned = AlignedClip.packedAligned(value)?.map(transfer);
  return {
    $clip: transfer({ ...packed, bytes: packed.bytes.slice() }),
    $report: report,
    ...(aligned && { $aligned: aligned }),
  } satisfies ClipPlaceholder;
}

function throttle(report: (progress: Progress) => void): (progress: Progress) => void {
  let stage: string | undefined;
  let last = 0;
  return (progress) => {
    const now = performance.now();
    if (progress.stage === stage && progress.done < 1 && now - last < PROGRESS_INTERVAL) return;
    stage = progress.stage;
    last = now;
    report(progress);
  };
}

/** Returns an error in a form that `postMessage` can clone. */
function toPlainError(error: unknown): PlainError {
  // Callbacks of the user run on the page, so any other error means that an invalid argument has passed the checks.
  // Its code is not "wasm", for which the page would end the worker, because the wasm module is intact.
  if (!(error instanceof KinestitchError))
    return { code: "option", message: `an argument is invalid: ${messageOf(error)}` };
  const { code, message, line, column, option, file } = error;
  return { code, message, line, column, option, file };
}
