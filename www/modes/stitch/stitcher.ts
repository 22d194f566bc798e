/** Updates the results from the document: debounced, cancellable, in the worker. */
import type { Method } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import { problemOf, type Problem } from "../../core/engine";
import type { Library } from "../../core/library";
import { EMPTY, type Project } from "./project";
import { hasBlendLength } from "./methods";
import { compute, computeRefined, DRAFT_BLEND, isDraft, type Plan, type StitchResult } from "./results";
import { itemsToShow } from "./stitchable";
import { joinOptionsAt } from "./joins/join-options";

export type { StitchResult } from "./results";

/** State of one side: its last result, error and progress. */
export interface Job {
  result?: StitchResult;
  problem?: Problem;
  busy?: Operation;
}

/** Requested methods of both sides, and the versions of their networks. */
export interface RequestedMethods {
  method: Method;
  compare: Method | undefined;
  /** Name of the weight file of the refiner; absent if it is not loaded. */
  network: string | undefined;
  /** A key that changes whenever "auto" may choose another join. */
  auto: string;
}

/** Work in progress of one side. */
interface Lane {
  /** Plan of the requested result. */
  wanted?: Plan;
  running?: { plan: Plan; abort: AbortController; startTime: number };
  timer: number;
}

/** Side of a comparison: a is the method of the document, b the compared method. */
export type Side = "a" | "b";

const DEBOUNCE_MS = 90;
/** Outdated work is not aborted within this time: an abort ends the worker, which must then read its clips again. */
const ABORT_AFTER_MS = 1500;

/** Keeps the results of both sides up to date with the document. */
export class Stitcher {
  /** Called with each new result. */
  onResult: (result: StitchResult) => void = () => undefined;
  /** Results of the method of the document, and of the compared method. */
  readonly jobs: Record<Side, Job> = { a: {}, b: {} };
  #lanes: Record<Side, Lane> = { a: { timer: 0 }, b: { timer: 0 } };
  #library: Library;
  #onChange: () => void;

  constructor(library: Library, onChange: () => void) {
    this.#library = library;
    this.#onChange = onChange;
  }

  get busy(): boolean {
    return Boolean(this.jobs.a.busy ?? this.jobs.b.busy);
  }

  /** Call after every edit; no effect if the result is current. */
  update(project: Project, requested: RequestedMethods): void {
    this.#request("a", project, requested.method, requested);
    if (requested.compare) this.#request("b", project, requested.compare, requested);
    else this.#clear("b");
  }

  cancel(): void {
    for (const side of ["a", "b"] as const) {
      const lane = this.#lanes[side];
      if (!this.jobs[side].busy) continue;
      window.clearTimeout(lane.timer);
      lane.running?.abort.abort();
      const { result } = this.jobs[side];
      const message = result ? "stitching was cancelled; the last result is shown" : "stitching was cancelled";
      this.jobs[side] = { result, problem: { code: "aborted", message } };
    }
    this.#onChange();
  }

  /** Computes again after a cancel or an error, at the next update. */
  retry(): void {
    this.#lanes.a.wanted = this.#lanes.b.wanted = undefined;
    this.#onChange();
  }

  #clear(side: Side): void {
    const lane = this.#lanes[side];
    window.clearTimeout(lane.timer);
    lane.wanted = undefined;
    this.jobs[side] = {};
  }

  #request(side: Side, project: Project, method: Method, requested: RequestedMethods): void {
    const items = itemsToShow(project, this.#library);
    if (items.length === 0) return this.#clear(side);
    const { footLock, fps, seam, maxCut } = project;
    const blend = side === "b" && isDraft(method, requested.method) ? DRAFT_BLEND : undefined;
    // Join options of single seams apply to the result, not to the compared one.
    const joins = side === "a" ? items.slice(1).map((item, i) => joinOptionsAt(project, items[i], item)) : [];
    const isJoin = method !== "auto" && method !== "rmr";
    // Frames are inserted in the result only, in place of a join: not with "auto" and the refiner.
    const { gap, gapMethod } = side === "a" && isJoin ? project : EMPTY;
    const inputs = items.map(({ source, trim }) => [
      source,
      this.#library.sources.get(source)?.version,
      trim,
      project.rigs[source],
    ]);
    const key = JSON.stringify([
      inputs,
      method === "rmr" ? requested.network : method === "auto" ? requested.auto : method,
      hasBlendLength(method) && gap === undefined && (blend ?? project.blend),
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
    const { result } = this.jobs[side];
    const existing = [this.jobs.a.result, this.jobs.b.result].find((other) => other?.key === key);
    if (existing) {
      this.jobs[side] = { result: { ...existing, items } };
      return;
    }
    this.jobs[side] = { result, busy: beginOperation("align", this.#onChange, this.jobs[side].busy?.startTime) };
    lane.timer = window.setTimeout(() => this.#start(side), result ? DEBOUNCE_MS : 0);
  }

  #start(side: Side): void {
    const lane = this.#lanes[side];
    const { wanted, running } = lane;
    if (!wanted) return;
    if (running) {
      const elapsed = performance.now() - running.startTime;
      if (elapsed > ABORT_AFTER_MS) running.abort.abort();
      else lane.timer = window.setTimeout(() => this.#start(side), ABORT_AFTER_MS - elapsed + 1);
      return;
    }
    lane.running = { plan: wanted, abort: new AbortController(), startTime: performance.now() };
    void this.#run(side, lane.running).finally(() => {
      lane.running = undefined;
      this.#onChange();
      // Without a running operation, the newer request was cancelled, or its result existed already.
      if (lane.wanted && lane.wanted !== wanted && this.jobs[side].busy) {
        window.clearTimeout(lane.timer);
        this.#start(side);
      }
    });
  }

  async #run(side: Side, { plan, abort }: NonNullable<Lane["running"]>): Promise<void> {
    const { signal } = abort;
    const isCurrent = (): boolean => this.#lanes[side].wanted === plan && !signal.aborted;
    try {
      const computeResult = plan.method === "rmr" ? computeRefined : compute;
      const result = await computeResult(this.#library, plan, plan.items, signal, (progress) => {
        const { busy } = this.jobs[side];
        if (!isCurrent() || !busy) return;
        busy.progress = progress;
        this.#onChange();
      });
      if (!isCurrent()) return;
      this.jobs[side] = { result };
      this.onResult(result);
    } catch (error) {
      if (!isCurrent()) return;
      const problem = problemOf(error);
      // Until the error is resolved: the result without networks, else the last result if it shows one of the clips, else
      // the first clip alone.
      // Their keys differ from the plan's, so that neither is taken for the requested result later.
      const withoutNetworks = { ...plan, key: `${plan.key} plain`, method: "inertialize" as const, joins: [] };
      const firstClip = { ...plan, key: `${plan.key} first` };
      const preliminary =
        plan.method === "rmr" || plan.method === "auto" || plan.joins.length > 0
          ? await compute(this.#library, withoutNetworks, plan.items, signal).catch(() => undefined)
          : undefined;
      const last = this.jobs[side].result;
      const showsClip = last?.items.some(({ id }) => plan.items.some((item) => item.id === id));
      const result =
        preliminary ??
        (showsClip ? last : undefined) ??
        (await compute(this.#library, firstClip, plan.items.slice(0, 1), signal).catch(() => undefined));
      if (isCurrent()) this.jobs[side] = { result, problem };
    }
  }
}
