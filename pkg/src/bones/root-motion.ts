/** What becomes of the way over the ground. */
export const rootMotions = ["keep", "inPlace"] as const;
export type RootMotion = (typeof rootMotions)[number];
