/** Rules for the direction of joined clips. */

/** The values of {@link Heading}. */
export const headings = ["auto", "travel", "facing", "asInFile"] as const;
/**
 * Rule for the direction of a clip that follows another one. "auto": the mean direction of travel over a stride, if the
 * body travels and faces that direction within 45°, else the mean facing direction. "travel": the direction of travel
 * wherever the body travels, also sideways or backwards. "facing": the facing direction. "asInFile": clips keep the
 * direction of their files.
 */
export type Heading = (typeof headings)[number];
