/** The judge for a stitch or an in-between with method "auto". */
import { KinestitchError } from "../core/error.js";
import type { TaskOptions } from "../core/types.js";
import type { JudgeNetwork } from "./loaded.js";
import type { Networks } from "./networks.js";

/** The judge, if one is available, and a warning if it could not be read. */
export interface AutoJudge {
  judge: JudgeNetwork | undefined;
  warnings: string[];
}

/**
 * Loads the judge with which "auto" compares motions. If its file or the manifest cannot be read, this is an error if
 * `isRequired`, that is, if the user has loaded networks. Otherwise "auto" compares only foot skate, jerk and heights,
 * and the result has a warning.
 */
export async function loadAutoJudge(networks: Networks, isRequired: boolean, task: TaskOptions): Promise<AutoJudge> {
  try {
    return { judge: await networks.judgeForAuto(task), warnings: [] };
  } catch (error) {
    if (isRequired || !(error instanceof KinestitchError) || error.code !== "weights") throw error;
    const warning = `the judge could not be read, so only foot skate and jerk were compared: ${error.message}`;
    return { judge: undefined, warnings: [warning] };
  }
}

/** No judge: for methods other than "auto", and for bodies other than bipeds, which the judge cannot score. */
export const NO_JUDGE: AutoJudge = { judge: undefined, warnings: [] };
