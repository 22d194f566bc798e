/** The networks of one stitch: those that its options need, and those that "auto" may try. */
import type { CpuInbetweener, CpuJudge, CpuRefiner } from "../../wasm/live.js";
import { shown, wrongOption } from "../core/options.js";
import { inbetweenMethods, type StitchOptions, type TaskOptions } from "../core/types.js";
import type { Judging, Networks } from "./networks.js";

/** Networks, loaded. */
export interface NetworksForStitch {
  refiner: CpuRefiner | undefined;
  fillers: CpuInbetweener[];
  judge: CpuJudge | undefined;
}

/** Gap methods without a network. */
const PLAIN: readonly unknown[] = [undefined, "linear", "inertialize"];

/** The judge, if the manifest has one; a folder of the user may have only other networks. */
async function judgeOf(networks: Networks, task: TaskOptions): Promise<Judging | undefined> {
  const models = await networks.models({ for: "judge", ...(task.signal && { signal: task.signal }) });
  return models.length > 0 ? networks.judge(undefined, task) : undefined;
}

/**
 * Loads the networks of a stitch. "auto" tries those named in `loadNetworks`, not those loaded by other calls, and
 * compares ways by the judge if any network is named.
 */
export async function networksForStitch(networks: Networks, options: StitchOptions): Promise<NetworksForStitch> {
  const { method = "auto", gapMethod, seams = [] } = options;
  const ways = [{ method, gapMethod }, ...seams.flatMap((way) => way ?? [])];
  const [refiners, fillers] = method === "auto" ? [networks.named("stitch"), networks.named("inbetween")] : [[], []];
  const unknown = ways.find((way) => way.gapMethod !== undefined && !inbetweenMethods.includes(way.gapMethod));
  if (unknown)
    throw wrongOption(
      "gapMethod",
      `gapMethod must be one of ${inbetweenMethods.join(", ")}, not ${shown(unknown.gapMethod)}`,
    );
  const asked = ways.flatMap((way) =>
    way.gapMethod === undefined || PLAIN.includes(way.gapMethod) ? [] : [way.gapMethod],
  );
  const task: TaskOptions = options;
  const isAnyNamed = refiners.length + fillers.length + networks.named("judge").length > 0;
  const needsRefiner = refiners.length > 0 || ways.some((way) => way.method === "rmr");
  const [refiner, judge, ...filling] = await Promise.all([
    needsRefiner ? networks.ready("stitch", task) : undefined,
    method === "auto" && isAnyNamed ? judgeOf(networks, task) : undefined,
    ...[...new Set([...fillers, ...asked])].map((name) => networks.ready("inbetween", task, name)),
  ]);
  return { refiner: refiner?.cpu, judge: judge?.cpu, fillers: filling.map(({ cpu }) => cpu) };
}
