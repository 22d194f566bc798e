/** Answers the requests of protocol.ts with the package's own functions. */
import type { Api } from "./api.js";
import { KinestitchClip } from "./clip.js";
import { KinestitchError, messageOf } from "./error.js";
import type { ClipId, FromWorker, Recipe, Request, Summary, ToWorker } from "./protocol.js";
import type { Clip, InbetweenClip, Progress, StitchedClip, TaskOptions } from "./types.js";

/** One end of a message channel. */
export interface Port {
  listen(receive: (message: ToWorker) => void): void;
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
}

/** At most one progress message in this many milliseconds for each stage. */
const PROGRESS_INTERVAL = 16;

export function serve(api: Omit<Api, "lscorePath" | "liveInbetween">, port: Port): void {
  const clips = new Map<ClipId, Clip>();
  const running = new Map<number, AbortController>();

  port.listen(async (message) => {
    if ("free" in message) {
      const clip = clips.get(message.free);
      clips.delete(message.free);
      if (clip instanceof KinestitchClip) clip.release();
      return;
    }
    // Heard only where the computation waits for something: wasm itself hears nothing.
    if ("abort" in message) return running.get(message.abort)?.abort();
    const { call, request } = message;
    const controller = new AbortController();
    running.set(call, controller);
    try {
      const onProgress = throttled((progress) => port.post({ call, progress }, []));
      const result = await answer(request, { signal: controller.signal, onProgress });
      port.post({ call, result }, buffersOf(result));
    } catch (error) {
      port.post({ call, error: plain(error) }, []);
    } finally {
      running.delete(call);
    }
  });

  async function answer(request: Request, task: Required<TaskOptions>): Promise<unknown> {
    switch (request.do) {
      case "init": {
        const { wasm, networks } = request;
        return api.init({ ...(wasm !== undefined && { wasm }), ...(networks && { networks }) });
      }
      case "make": {
        const clip = await make(request.recipe, task);
        clips.set(request.id, clip);
        return summary(clip);
      }
      case "read":
        return get(request.id)[request.method]();
      case "ask": {
        const [a, b] = request.clips;
        return api[request.question](get(a), get(b), { ...request.options, ...task });
      }
      case "networkInfo":
        return api.networkInfo();
      case "loadNetworks":
      case "networkModels":
        return api[request.do]({ ...request.options, ...task });
    }
  }

  async function make(recipe: Recipe, task: Required<TaskOptions>): Promise<Clip> {
    switch (recipe.make) {
      case "load":
        return api.load(recipe.file, { ...recipe.options, ...task });
      case "stitch":
        return api.stitch(recipe.clips.map(get), { ...recipe.options, ...task });
      case "inbetween": {
        const keys = recipe.keys.map((key) => ({ ...key, clip: get(key.clip) }));
        return api.inbetween(keys, { ...recipe.options, ...task });
      }
      case "resample":
        return get(recipe.of).resample(recipe.fps);
      case "withRig":
        return get(recipe.of).withRig(recipe.rig);
      case "aligned": {
        const clip = (get(recipe.of) as StitchedClip).aligned()[recipe.index];
        if (!clip) throw new KinestitchError("wasm", `there is no aligned input ${recipe.index}`);
        return clip;
      }
    }
  }

  function get(id: ClipId): Clip {
    const clip = clips.get(id);
    if (!clip) throw new KinestitchError("wasm", `the worker holds no clip ${id}`);
    return clip;
  }
}

function summary(clip: Clip): Summary {
  const { name, frames, fps } = clip;
  const { kind } = KinestitchClip.handleOf(clip, "the clip");
  const known = { name, frames, fps, kind: kind as Summary["kind"] };
  if ("gaps" in clip) {
    const { keys, gaps, warnings, milliseconds } = clip as InbetweenClip;
    return { ...known, inbetween: { keys, gaps, warnings, milliseconds } };
  }
  if (!("seams" in clip)) return known;
  const { seams, warnings, milliseconds, starts } = clip as StitchedClip;
  return { ...known, stitched: { seams, warnings, milliseconds, starts } };
}

/** Typed arrays of a result move to the page instead of being copied. */
function buffersOf(result: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(result)) return [result.buffer as ArrayBuffer];
  if (typeof result !== "object" || result === null) return [];
  const arrays = Object.values(result).flat().filter((value) => ArrayBuffer.isView(value));
  return arrays.map((array) => array.buffer as ArrayBuffer);
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

function plain(error: unknown): Extract<FromWorker, { error: unknown }>["error"] {
  if (!(error instanceof KinestitchError)) return { code: "wasm", message: messageOf(error) };
  const { code, message, line, column } = error;
  return { code, message, line, column };
}
