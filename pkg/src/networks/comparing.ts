/** The judge of one call of "auto". */
import { KinestitchError } from "../core/error.js";
import type { TaskOptions } from "../core/types.js";
import type { Judging } from "./loaded.js";
import type { Networks } from "./networks.js";

/** The judge, if there is one, and a warning if it could not be read. */
export interface Comparing {
  judge: Judging | undefined;
  warnings: string[];
}

/**
 * Loads the judge by which "auto" compares. If its file cannot be read and the caller named no networks, foot slide and
 * jerk are compared instead, and the result has a warning.
 */
export async function comparing(networks: Networks, isNamed: boolean, task: TaskOptions): Promise<Comparing> {
  try {
    return { judge: await networks.judgeAtHand(task), warnings: [] };
  } catch (error) {
    if (isNamed || !(error instanceof KinestitchError) || error.code !== "weights") throw error;
    const warning = `the judge could not be read, so joins were compared by foot slide and jerk alone: ${error.message}`;
    return { judge: undefined, warnings: [warning] };
  }
}

/** "auto" compares bodies other than bipeds without a judge. */
export const NO_JUDGE: Comparing = { judge: undefined, warnings: [] };
