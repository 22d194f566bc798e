/** The networks of a call of `stitch`: the networks that its options need, and the networks that "auto" may try. */
import type { CpuInbetweener, CpuJudge, CpuRefiner } from "../../wasm/kinestitch.js";
import { fillerOf, isAutomatic, joinsOf } from "../core/flat-join.js";
import { networkMethods, type TaskOptions } from "../core/types.js";
import { loadAutoJudge, NO_JUDGE } from "./auto-judge.js";
import type { Networks } from "./networks.js";

/** The loaded networks of a call of `stitch`. */
export interface NetworksForStitch {
  refiner: CpuRefiner | undefined;
  fillers: CpuInbetweener[];
  judge: CpuJudge | undefined;
  /** Warnings for the report. */
  warnings: string[];
}

/** No networks. */
export const NO_NETWORKS: NetworksForStitch = { refiner: undefined, fillers: [], judge: undefined, warnings: [] };

/**
 * Loads the networks of a call of `stitch`. "auto" tries the networks that `loadNetworks` has loaded, not networks that
 * other calls have loaded, and compares joins of bipeds with the judge if its file is available.
 */
export async function networksForStitch(
  networks: Networks,
  options: { join?: unknown; seams?: unknown } & TaskOptions,
  areBipeds: boolean,
): Promise<NetworksForStitch> {
  const isAuto = isAutomatic(options.join);
  const joins = joinsOf(options);
  const [refinerNames, fillerNames] = isAuto
    ? [networks.preloadedNames("stitch"), networks.preloadedNames("inbetween")]
    : [[], []];
  const requested = networkMethods.filter((name) => joins.some((join) => fillerOf(join) === name));
  const task: TaskOptions = options;
  const isAnyPreloaded = refinerNames.length + fillerNames.length + networks.preloadedNames("judge").length > 0;
  const needsRefiner = refinerNames.length > 0 || joins.some((join) => join.refine === true);
  const [refiner, { judge, warnings }, ...fillers] = await Promise.all([
    needsRefiner ? networks.getNetwork("stitch", task) : undefined,
    isAuto && areBipeds ? loadAutoJudge(networks, isAnyPreloaded, task) : NO_JUDGE,
    ...[...new Set([...fillerNames, ...requested])].map((name) => networks.getNetwork("inbetween", task, name)),
  ]);
  return { refiner: refiner?.cpu, judge: judge?.cpu, warnings, fillers: fillers.map(({ cpu }) => cpu) };
}
