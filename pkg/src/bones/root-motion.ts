/** Treatment of the root's motion over the ground. */
export const rootMotions = ["keep", "inPlace"] as const;
/** Name of a choice for the way over the ground. */
export type RootMotion = (typeof rootMotions)[number];
