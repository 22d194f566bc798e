/** Updates the results from the document: debounced, cancellable, in the worker. */
import type { Method } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import { problemOf, type Problem } from "../../core/engine";
import type { Library } from "../../core/library";
import { EMPTY, type Project } from "./project";
import { compute, computeRefined, DRAFT_BLEND, type Plan, type Take } from "./results";
import { shown } from "./usable";
import { joinOptionsAt } from "./joins/join-options";

export type { Take } from "./results";

/** State of one side: its last result, error and progress. */
export interface Job {
  take?: Take;
  problem?: Problem;
  busy?: Operation;
}

/** Requested methods of both sides. */
export interface RequestedMethods {
  method: Method;
  compare: Method | undefined;
  /** Name of the refiner's file. */
  network: string | undefined;
  /** Changes whenever "auto" may choose another join. */
  auto: string;
}

/** One side's work in progress. */
interface Lane {
  wanted?: Plan;
  running?: { plan: Plan; abort: AbortController; since: number };
  timer: number;
}

/** Side of a comparison: the document's method, or the one it is compared with. */
export type Side = "a" | "b";

const DEBOUNCE_MS = 90;
/** Outdated work shorter than this is not aborted: an abort ends the worker, which must then read its clips again. */
const STOP_AFTER_MS = 1500;

/** Keeps the results of both sides up to date with the document. */
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

  /** Call after every edit; no effect if the result is current. */
  update(project: Project, wanted: RequestedMethods): void {
    this.#want("a", project, wanted.method, wanted);
    if (wanted.compare) this.#want("b", project, wanted.compare, wanted);
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

  #want(side: Side, project: Project, method: Method, wanted: RequestedMethods): void {
    const items = shown(project, this.#library);
    if (items.length === 0) return this.#drop(side);
    const { footLock, fps, seam, maxCut } = project;
    const drawn = side === "b" && wanted.method === "rmr" && method === "inertialize";
    const blend = drawn ? DRAFT_BLEND : undefined;
    // Join options of single seams apply to the result, not to the compared one.
    const joins = side === "a" ? items.slice(1).map((item, i) => joinOptionsAt(project, items[i], item)) : [];
    const plain = method !== "auto" && method !== "rmr";
    // Likewise inserted frames.
    const { gap, gapMethod } = side === "a" && plain ? project : EMPTY;
    const inputs = items.map(({ source, trim }) => [
      source,
      this.#library.sources.get(source)?.version,
      trim,
      project.rigs[source],
    ]);
    const key = JSON.stringify([
      inputs,
      method === "rmr" ? wanted.network : method === "auto" ? wanted.auto : method,
      plain && (blend ?? project.blend),
      gap,
      gapMethod,
      joins.some(Boolean) && joins,
      footLock,
      fps,
      method !== "auto" && seam,
      (method === "auto" || seam !== "keep" || joins.some(Boolean)) && maxCut,
    ]);
    const lane = this.#lanes[side];
    if (lane.wanted?.key === key) return;
    const plan = {
      key,
      project,
      items,
      method,
      joins: joins.some(Boolean) ? joins : [],
      blend,
      gap,
      gapMethod,
    };
    lane.wanted = plan;
    window.clearTimeout(lane.timer);
    const { take } = this.jobs[side];
    const ready = [this.jobs.a.take, this.jobs.b.take].find((other) => other?.key === key);
    if (ready) {
      this.jobs[side] = { take: { ...ready, items } };
      return;
    }
    this.jobs[side] = { take, busy: beginOperation("align", this.#changed, this.jobs[side].busy?.startTime) };
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
      const make = plan.method === "rmr" ? computeRefined : compute;
      const take = await make(this.#library, plan, plan.items, signal, (progress) => {
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
      // A preliminary display: the result without networks, else the last one, else the first clip alone.
      const plain = { ...plan, key: `${plan.key} plain`, method: "inertialize" as const, joins: [] };
      const unrefined =
        plan.method === "rmr" || plan.method === "auto" || plan.joins.length > 0
          ? await compute(this.#library, plain, plan.items, signal).catch(() => undefined)
          : undefined;
      const take =
        unrefined ??
        this.jobs[side].take ??
        (await compute(this.#library, plan, plan.items.slice(0, 1), signal).catch(() => undefined));
      if (current()) this.jobs[side] = { take, problem };
    }
  }
}
