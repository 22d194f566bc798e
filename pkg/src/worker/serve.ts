/** Answers the requests of protocol.ts with the package's own functions. */
import { KinestitchClip } from "../core/clip.js";
import { KinestitchError, messageOf, wasmMemory } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { Clip, Progress, ResolveFile, StitchedClip, TaskOptions } from "../core/types.js";
import type * as tasks from "../tasks/index.js";
import { provideNetworks } from "../networks/places.js";
import { Steering } from "./steering.js";
import { Questions } from "./questions.js";
import {
  clipMethods,
  type FromWorker,
  type GltfTasks,
  isSent,
  mapped,
  type PlainError,
  type Request,
  type Sent,
  type ToWorker,
} from "./protocol.js";

/** One end of a message channel. */
export interface Port {
  listen(receive: (message: ToWorker) => void): void;
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
}

/** Smallest interval between progress messages of a stage, milliseconds. */
const PROGRESS_INTERVAL = 16;

/** The functions of the thread; a page that only displays motions needs only the first two. */
export type Served = Pick<typeof tasks, "init" | "load"> & Partial<typeof tasks> & Partial<GltfTasks>;

/** Answers the requests that arrive at a port. `served`: the functions of this thread. */
export function serve(served: Served, port: Port): void {
  const running = new Map<number, AbortController>();
  const kept = new Map<string, PackedMotion>();
  const steering = new Steering();
  const questions = new Questions((message) => port.post(message, []));

  port.listen(async (message) => {
    // Received only while the computation awaits something: wasm itself receives nothing.
    if ("answer" in message) return questions.answered(message);
    if ("abort" in message) return running.get(message.abort)?.abort();
    if ("places" in message) return provideNetworks(() => message.places);
    if ("release" in message) return steering.release(message.release);
    if ("drop" in message) return message.drop.forEach((id) => kept.delete(id));
    const { call, request } = message;
    const controller = new AbortController();
    running.set(call, controller);
    try {
      const onProgress = throttled((progress) => port.post({ call, progress }, []));
      const answered = await answer(served, kept, steering, request, {
        signal: controller.signal,
        onProgress,
        resolve: questions.of(call),
      });
      const buffers = new Set<ArrayBuffer>();
      const result = mapped(answered, (part) => sent(part, kept, buffers));
      port.post({ call, result, megabytes: wasmMemory.megabytes() }, [...buffers]);
    } catch (error) {
      port.post({ call, error: omitTaskOptions(error) }, []);
    } finally {
      running.delete(call);
    }
  });
}

async function answer(
  served: Served,
  kept: Map<string, PackedMotion>,
  steering: Steering,
  request: Request,
  { resolve, ...task }: Required<TaskOptions> & { resolve: ResolveFile },
): Promise<unknown> {
  const clipOf = (part: object): Clip | undefined => received(part, kept);
  switch (request.do) {
    case "init": {
      const { do: _, ...options } = request;
      return served.init(options);
    }
    case "task":
    case "gltf": {
      const run = served[request.name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (!run) throw new KinestitchError("option", `this worker has no ${request.name}; import "kinestitch/worker"`);
      const args = request.args.map((arg) => mapped(arg, clipOf));
      const reads = request.do === "gltf" || request.name === "load";
      return run(...args, { ...(mapped(request.options, clipOf) as object), ...task, ...(reads && { resolve }) });
    }
    case "steer":
      return steering.begin(request.session, served.createController, {
        ...(mapped(request.options, clipOf) as object),
        ...task,
      });
    case "steered":
      return steering.ask(request.session, request.method, request.args);
    case "clip": {
      // Resolved now, because the page may remove these motions at once.
      const clip = clipOf(request.clip) as Clip;
      const args = request.args.map((arg) => mapped(arg, clipOf));
      // In a new thread the module may not be started yet.
      await served.init();
      if (!clipMethods.includes(request.method))
        throw new KinestitchError("option", `a clip has no method "${request.method}"`);
      return (clip[request.method] as (...args: unknown[]) => unknown).apply(clip, args);
    }
  }
}

/** The clip of a placeholder; it is kept until the page removes it. */
function received(part: object, kept: Map<string, PackedMotion>): Clip | undefined {
  if (!isSent(part)) return undefined;
  const { $clip } = part;
  const packed = "bytes" in $clip ? $clip : kept.get($clip.id);
  if (!packed) throw new KinestitchError("wasm", `the worker keeps no motion ${$clip.id}`);
  kept.set(packed.id, packed);
  return new KinestitchClip(packed);
}

/** Placeholder of a clip. Bytes and typed arrays are transferred to the page instead of copied. */
function sent(part: object, kept: Map<string, PackedMotion>, buffers: Set<ArrayBuffer>): unknown {
  if (ArrayBuffer.isView(part)) {
    buffers.add(part.buffer as ArrayBuffer);
    return part;
  }
  if (!(part instanceof KinestitchClip)) return undefined;
  const send = (packed: PackedMotion): PackedMotion => {
    buffers.add(packed.bytes.buffer);
    return packed;
  };
  const own = KinestitchClip.packedOf(part, "the result");
  kept.set(own.id, own);
  // Properties of a result that not every clip has.
  const { name: _, frames: __, fps: ___, ...report } = part;
  const aligned =
    "aligned" in part
      ? (part as unknown as StitchedClip).aligned().map((clip) => send(KinestitchClip.packedOf(clip, "the input")))
      : undefined;
  return {
    $clip: send({ ...own, bytes: own.bytes.slice() }),
    $report: report,
    ...(aligned && { $aligned: aligned }),
  } satisfies Sent;
}

function throttled(report: (progress: Progress) => void): (progress: Progress) => void {
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

function omitTaskOptions(error: unknown): PlainError {
  // There are no callbacks here, so an invalid value passed a check. The module itself is sound, and the thread
  // continues.
  if (!(error instanceof KinestitchError))
    return { code: "option", message: `an argument is not what it must be: ${messageOf(error)}` };
  const { code, message, line, column, option } = error;
  return { code, message, line, column, option };
}
