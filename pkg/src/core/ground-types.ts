/** The floor of motions that are joined, or shown on another body. */

/** The values of {@link Ground}. */
export const grounds = ["level", "asInFile"] as const;
/**
 * Treatment of motions that stand on different floors. "level" moves them up or down to one floor, measured by the
 * feet that support the body; a motion that hangs, swims or flies all the time keeps its height. "asInFile" leaves all
 * heights as they are in the files.
 */
export type Ground = (typeof grounds)[number];
