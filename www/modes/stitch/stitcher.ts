/** Updates the results from the document: debounced, cancellable, in the worker. */
import type { Method } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import { problemOf, type Problem } from "../../core/engine";
import type { Library } from "../../core/library";
import { EMPTY, type Item, type Project } from "./project";
import { hasBlendLength } from "./methods";
import { isNetwork } from "../fillers";
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

/** Side of a comparison: a shows the method of the document, b the compared method. */
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

  /** Call after every edit; no effect if the same result is already requested. */
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
    this.#lanes[side].wanted = undefined;
    this.jobs[side] = {};
    this.#abortOutdated(side);
  }

  #request(side: Side, project: Project, method: Method, requested: RequestedMethods): void {
    const items = itemsToShow(project, this.#library);
    if (items.length === 0) return this.#clear(side);
    const plan = this.#plan(side, project, items, method, requested);
    const { key } = plan;
    const lane = this.#lanes[side];
    const job = this.jobs[side];
    if (lane.wanted?.key === key) {
      lane.wanted.items = items;
      if (job.result?.key === key || job.result?.key === networkFreeKey(key)) job.result = withItems(job.result, items);
      return;
    }
    // After an edit and its undo, the running computation is that of the current document again.
    const running = lane.running?.abort.signal.aborted ? undefined : lane.running?.plan;
    lane.wanted = running?.key === key ? Object.assign(running, { items }) : plan;
    const existing = [this.jobs.a.result, this.jobs.b.result].find((other) => other?.key === key);
    if (existing) {
      this.jobs[side] = { result: { ...existing, items } };
      this.#abortOutdated(side);
      return;
    }
    this.jobs[side] = { result: job.result, busy: beginOperation("align", this.#onChange, job.busy?.startTime) };
    window.clearTimeout(lane.timer);
    lane.timer = window.setTimeout(() => this.#start(side), job.result ? DEBOUNCE_MS : 0);
  }

  /** Returns the plan of a side's result. */
  #plan(side: Side, project: Project, items: Item[], method: Method, requested: RequestedMethods): Plan {
    const { footLock, fps, seam, maxCut } = project;
    const blend = side === "b" && isDraft(method, requested.method) ? DRAFT_BLEND : undefined;
    // Join options of single seams apply to side a only.
    const joins = side === "a" ? items.slice(1).map((item, i) => joinOptionsAt(project, items[i], item)) : [];
    // Inserted frames replace the joins. Only side a has them, and not with "auto" or the refiner, which join clips
    // themselves.
    const allowsGap = side === "a" && method !== "auto" && method !== "rmr";
    const { gap, gapMethod } = allowsGap ? project : EMPTY;
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
      joins.some((join) => join?.method === "rmr") && requested.network,
      footLock,
      fps,
      method !== "auto" && seam,
      (method === "auto" || seam !== "keep" || joins.some(Boolean)) && maxCut,
    ]);
    return { key, project, items, method, joins: joins.some(Boolean) ? joins : [], blend, gap, gapMethod };
  }

  /** Lets a running computation whose result is no longer requested continue for a short time only. */
  #abortOutdated(side: Side): void {
    window.clearTimeout(this.#lanes[side].timer);
    if (this.#lanes[side].running) this.#start(side);
  }

  /** Starts the requested computation; if an outdated one is running, as soon as that has ended or is aborted. */
  #start(side: Side): void {
    const lane = this.#lanes[side];
    const { wanted, running } = lane;
    if (running) {
      if (running.plan === wanted) return;
      const elapsed = performance.now() - running.startTime;
      if (elapsed > ABORT_AFTER_MS) running.abort.abort();
      else lane.timer = window.setTimeout(() => this.#start(side), ABORT_AFTER_MS - elapsed + 1);
      return;
    }
    // If `busy` is unset, the request was cancelled, or its result already existed.
    if (!wanted || !this.jobs[side].busy) return;
    lane.running = { plan: wanted, abort: new AbortController(), startTime: performance.now() };
    void this.#run(side, lane.running).finally(() => {
      lane.running = undefined;
      this.#onChange();
      if (lane.wanted === wanted) return;
      window.clearTimeout(lane.timer);
      this.#start(side);
    });
  }

  async #run(side: Side, { plan, abort: { signal } }: NonNullable<Lane["running"]>): Promise<void> {
    const isCurrent = (): boolean => this.#lanes[side].wanted === plan && !signal.aborted;
    let result: StitchResult;
    try {
      const computeResult = plan.method === "rmr" ? computeRefined : compute;
      result = await computeResult(this.#library, plan, plan.items, signal, (progress) => {
        const { busy } = this.jobs[side];
        if (!isCurrent() || !busy) return;
        busy.progress = progress;
        this.#onChange();
      });
    } catch (error) {
      if (!isCurrent()) return;
      const preliminary = await this.#preliminaryResult(side, plan, signal);
      if (isCurrent()) this.jobs[side] = { result: preliminary, problem: problemOf(error) };
      return;
    }
    if (!isCurrent()) return;
    this.jobs[side] = { result: withItems(result, plan.items) };
    this.onResult(this.jobs[side].result as StitchResult);
  }

  /**
   * Returns the result that is shown until an error is resolved: the result without networks, else the last result if
   * it contains one of the clips, else the first clip alone. The first and the third have keys of their own, so that
   * they are not used as the requested result.
   */
  async #preliminaryResult(side: Side, plan: Plan, signal: AbortSignal): Promise<StitchResult | undefined> {
    const usesFillerNetwork = plan.gapMethod !== undefined && isNetwork(plan.gapMethod);
    const withoutNetworks: Plan = {
      ...plan,
      key: networkFreeKey(plan.key),
      method: plan.method === "rmr" || plan.method === "auto" ? "inertialize" : plan.method,
      joins: [],
      gapMethod: usesFillerNetwork ? undefined : plan.gapMethod,
    };
    const mayUseNetworks = plan.method !== withoutNetworks.method || plan.joins.length > 0 || usesFillerNetwork;
    const result = mayUseNetworks
      ? await compute(this.#library, withoutNetworks, plan.items, signal).catch(() => undefined)
      : undefined;
    if (result) return withItems(result, plan.items);
    const last = this.jobs[side].result;
    if (last?.items.some(({ id }) => plan.items.some((item) => item.id === id))) return last;
    const firstClip = { ...plan, key: `${plan.key} first` };
    return compute(this.#library, firstClip, plan.items.slice(0, 1), signal).catch(() => undefined);
  }
}

/** Returns the key of the result without networks that replaces the result with this key after an error. */
const networkFreeKey = (key: string): string => `${key} plain`;

/**
 * Returns a result with the current items of the document: the keys of plans do not contain the ids of items, which
 * differ if copies of a clip have changed places.
 */
const withItems = (result: StitchResult, items: readonly Item[]): StitchResult =>
  items.every((item, i) => item === result.items[i]) ? result : { ...result, items };
