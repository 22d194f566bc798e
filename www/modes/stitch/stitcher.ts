/** Keeps the results up to date with the document: debounced, cancellable, in the worker. */
import type { Method, Progress, Seam } from "kinestitch/worker";
import { begin, type Busy } from "../../core/busy";
import { motionOf, posesOf, problemOf, stitch, type Motion, type Problem, type WorkerClip } from "../../core/engine";
import type { Library } from "../../core/library";
import type { Poses } from "../../viewer/poses";
import type { Item, Project } from "./project";
import { shown, tooShort } from "./usable";

/** One finished result. */
export interface Take {
  key: string;
  method: Method;
  items: readonly Item[];
  motion: Motion;
  seams: Seam[];
  starts: number[];
  /** The inputs as stitch placed them, for ghosts; first frame of input i stands at `starts[i]`. */
  aligned: Poses[];
  warnings: string[];
  milliseconds: number;
  clip: WorkerClip;
}

export interface Job {
  take?: Take;
  problem?: Problem;
  busy?: Busy;
}

interface Plan {
  key: string;
  project: Project;
  items: readonly Item[];
  method: Method;
}

/** One side's work in progress. */
interface Lane {
  wanted?: Plan;
  running?: { plan: Plan; abort: AbortController; since: number };
  timer: number;
}

export type Side = "a" | "b";

const DEBOUNCE_MS = 90;
/** Outdated work shorter than this is let finish: stopping it costs the worker its clips, which it must read again. */
const STOP_AFTER_MS = 1500;

export class Stitcher {
  /** Called with every new result. */
  onTake: (take: Take) => void = () => undefined;
  /** The document's method, and the one it is compared with. */
  readonly jobs: Record<Side, Job> = { a: {}, b: {} };
  #lanes: Record<Side, Lane> = { a: { timer: 0 }, b: { timer: 0 } };
  #library: Library;
  #changed: () => void;

  constructor(library: Library, changed: () => void) {
    this.#library = library;
    this.#changed = changed;
  }

  get busy(): boolean {
    return Boolean(this.jobs.a.busy ?? this.jobs.b.busy);
  }

  /** Call after every edit; does nothing when the document's result is there already. */
  update(project: Project, method: Method, compare: Method | undefined, network: string | undefined): void {
    this.#want("a", project, method, network);
    if (compare) this.#want("b", project, compare, network);
    else this.#drop("b");
  }

  cancel(): void {
    for (const side of ["a", "b"] as const) {
      const lane = this.#lanes[side];
      if (!this.jobs[side].busy) continue;
      window.clearTimeout(lane.timer);
      lane.running?.abort.abort();
      const { take } = this.jobs[side];
      const message = take ? "stitching was cancelled; the last result is shown" : "stitching was cancelled";
      this.jobs[side] = { take, problem: { code: "aborted", message } };
    }
    this.#changed();
  }

  /** Computes again after a cancel or an error, at the next update. */
  retry(): void {
    this.#lanes.a.wanted = this.#lanes.b.wanted = undefined;
    this.#changed();
  }

  #drop(side: Side): void {
    const lane = this.#lanes[side];
    window.clearTimeout(lane.timer);
    lane.wanted = undefined;
    this.jobs[side] = {};
  }

  #want(side: Side, project: Project, method: Method, network: string | undefined): void {
    const items = shown(project, this.#library);
    if (items.length === 0) return this.#drop(side);
    const { blend, footLock, fps, seam, maxCut } = project;
    const inputs = items.map(({ source, trim }) => [
      source,
      this.#library.sources.get(source)?.version,
      trim,
      project.rigs[source],
    ]);
    const key = JSON.stringify([
      inputs,
      method === "rmr" ? network : method,
      blend,
      footLock,
      fps,
      seam,
      (method === "auto" || seam !== "keep") && maxCut,
    ]);
    const lane = this.#lanes[side];
    if (lane.wanted?.key === key) return;
    const plan = { key, project, items, method };
    lane.wanted = plan;
    window.clearTimeout(lane.timer);
    const { take } = this.jobs[side];
    const ready = [this.jobs.a.take, this.jobs.b.take].find((other) => other?.key === key);
    if (ready) {
      this.jobs[side] = { take: { ...ready, items } };
      return;
    }
    this.jobs[side] = { take, busy: begin("align", this.#changed, this.jobs[side].busy?.since) };
    lane.timer = window.setTimeout(() => this.#start(side), take ? DEBOUNCE_MS : 0);
  }

  #start(side: Side): void {
    const lane = this.#lanes[side];
    const { wanted, running } = lane;
    if (!wanted) return;
    if (running) {
      const waited = performance.now() - running.since;
      if (waited > STOP_AFTER_MS) running.abort.abort();
      else lane.timer = window.setTimeout(() => this.#start(side), STOP_AFTER_MS - waited + 1);
      return;
    }
    lane.running = { plan: wanted, abort: new AbortController(), since: performance.now() };
    void this.#run(side, lane.running).finally(() => {
      lane.running = undefined;
      this.#changed();
      if (lane.wanted && lane.wanted !== wanted) {
        window.clearTimeout(lane.timer);
        this.#start(side);
      }
    });
  }

  async #run(side: Side, { plan, abort }: NonNullable<Lane["running"]>): Promise<void> {
    const { signal } = abort;
    const current = (): boolean => this.#lanes[side].wanted === plan && !signal.aborted;
    try {
      const take = await this.#compute(plan, plan.items, signal, (progress) => {
        const { busy } = this.jobs[side];
        if (!current() || !busy) return;
        busy.progress = progress;
        this.#changed();
      });
      if (!current()) return;
      this.jobs[side] = { take };
      this.onTake(take);
    } catch (error) {
      if (!current()) return;
      const problem = problemOf(error);
      // Something to look at: the result without the network, the last one, or if only the first clip alone.
      const plain = { ...plan, key: `${plan.key} plain`, method: "inertialize" as const };
      const unrefined =
        plan.method === "rmr" ? await this.#compute(plain, plan.items, signal).catch(() => undefined) : undefined;
      const take =
        unrefined ??
        this.jobs[side].take ??
        (await this.#compute(plan, plan.items.slice(0, 1), signal).catch(() => undefined));
      if (current()) this.jobs[side] = { take, problem };
    }
  }

  async #compute(
    plan: Plan,
    items: readonly Item[],
    signal: AbortSignal,
    tell?: (progress: Progress) => void,
  ): Promise<Take> {
    const { project, key } = plan;
    // A single clip is shown as it is.
    const single = items.length === 1;
    const method = single ? "inertialize" : plan.method;
    const inputs = [];
    for (const { source } of items) inputs.push(await this.#library.clip(source, project.rigs[source]));
    if (single && tooShort(project, this.#library).has(items[0])) {
      const [{ clip }] = inputs;
      const motion = await motionOf(clip);
      return {
        key,
        method,
        items,
        motion,
        seams: [],
        starts: [0],
        aligned: [motion],
        warnings: [],
        milliseconds: 0,
        clip,
      };
    }
    const fps = project.fps ?? inputs[0].clip.fps;
    const clip = await stitch(
      inputs.map((input) => input.clip),
      {
        method,
        blend: project.blend / fps,
        seam: project.seam,
        maxCut: project.maxCut,
        footLock: project.footLock && !single,
        trim: items.map((item) => item.trim),
        ...(project.fps ? { fps: project.fps } : {}),
        signal,
        ...(tell && { onProgress: tell }),
      },
    );
    const [motion, aligned] = await Promise.all([
      motionOf(clip),
      clip.aligned().then((parts) => Promise.all(parts.map((part) => posesOf(part)))),
    ]);
    const { seams, starts, warnings, milliseconds } = clip;
    return { key, method, items, motion, seams, starts, aligned, warnings, milliseconds, clip };
  }
}
