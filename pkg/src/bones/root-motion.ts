/** Choices for the root motion (the movement over the ground): keep it or remove it. */
export const rootMotions = ["keep", "inPlace"] as const;
/** One of {@link rootMotions}. */
export type RootMotion = (typeof rootMotions)[number];
