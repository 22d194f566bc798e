/** The networks of one stitch: those that its options need, and those that "auto" may try. */
import type { CpuInbetweener, CpuJudge, CpuRefiner } from "../../wasm/live.js";
import { formatValue, wrongOption } from "../core/options.js";
import { inbetweenMethods, networkMethods, type StitchOptions, type TaskOptions } from "../core/types.js";
import { comparing, NO_JUDGE } from "./comparing.js";
import type { Networks } from "./networks.js";

/** Networks, loaded. */
export interface NetworksForStitch {
  refiner: CpuRefiner | undefined;
  fillers: CpuInbetweener[];
  judge: CpuJudge | undefined;
  /** Doubts for the report. */
  warnings: string[];
}

/**
 * Loads the networks of a stitch. "auto" tries those named in `loadNetworks`, not those loaded by other calls, and
 * compares joins of bipeds by the judge if its file is available.
 */
export async function networksForStitch(
  networks: Networks,
  options: StitchOptions,
  areBipeds: boolean,
): Promise<NetworksForStitch> {
  const { method = "auto", gapMethod, seams = [] } = options;
  const joins = [{ method, gapMethod }, ...seams.flatMap((join) => join ?? [])];
  const [refiners, fillers] = method === "auto" ? [networks.named("stitch"), networks.named("inbetween")] : [[], []];
  const unknown = joins.find((join) => join.gapMethod !== undefined && !inbetweenMethods.includes(join.gapMethod));
  if (unknown)
    throw wrongOption(
      "gapMethod",
      `gapMethod must be one of ${inbetweenMethods.join(", ")}, not ${formatValue(unknown.gapMethod)}`,
    );
  const requested = networkMethods.filter((name) => joins.some((join) => join.gapMethod === name));
  const task: TaskOptions = options;
  const isAnyNamed = refiners.length + fillers.length + networks.named("judge").length > 0;
  const needsRefiner = refiners.length > 0 || joins.some((join) => join.method === "rmr");
  const [refiner, { judge, warnings }, ...filling] = await Promise.all([
    needsRefiner ? networks.ready("stitch", task) : undefined,
    method === "auto" && areBipeds ? comparing(networks, isAnyNamed, task) : NO_JUDGE,
    ...[...new Set([...fillers, ...requested])].map((name) => networks.ready("inbetween", task, name)),
  ]);
  return { refiner: refiner?.cpu, judge: judge?.cpu, warnings, fillers: filling.map(({ cpu }) => cpu) };
}
