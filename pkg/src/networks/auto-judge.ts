/** The judge of a call of "auto". */
import { KinestitchError } from "../core/error.js";
import type { TaskOptions } from "../core/types.js";
import type { JudgeNetwork } from "./loaded.js";
import type { Networks } from "./networks.js";

/** The judge, if one is available, and a warning if its file could not be read. */
export interface AutoJudge {
  judge: JudgeNetwork | undefined;
  warnings: string[];
}

/**
 * Loads the judge by which "auto" compares. If its file cannot be read, and `isRequired` is false because the user has
 * loaded no networks, "auto" compares by foot skate and jerk, and the result has a warning.
 */
export async function loadAutoJudge(networks: Networks, isRequired: boolean, task: TaskOptions): Promise<AutoJudge> {
  try {
    return { judge: await networks.judgeForAuto(task), warnings: [] };
  } catch (error) {
    if (isRequired || !(error instanceof KinestitchError) || error.code !== "weights") throw error;
    const warning = `the judge could not be read, so joins were compared only by foot skate and jerk: ${error.message}`;
    return { judge: undefined, warnings: [warning] };
  }
}

/** Result for bodies other than bipeds, which "auto" compares without a judge. */
export const NO_JUDGE: AutoJudge = { judge: undefined, warnings: [] };
