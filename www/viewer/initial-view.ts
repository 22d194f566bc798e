/** Initial view of the camera, shared by the 3D view and the 2D view that replaces it. Does not depend on three.js. */

/** Vertical field of view, degrees. */
export const FIELD_OF_VIEW = 38;
/** Height of the camera's target, as a fraction of the figure's height. */
export const TARGET_HEIGHT = 0.52;
/** Direction from the target to the camera (x, y, z), of any length. */
export const INITIAL_DIRECTION = [0.82, 0.3, 0.95] as const;

/** Distance of the camera from its target, in heights of the figure, in a view that is at least as wide as high. */
const DISTANCE = 1.95;
/** In narrow views, the camera moves back; below this aspect ratio, no farther. */
const MIN_ASPECT = 0.55;

/** Returns the initial distance of the camera from its target, as a multiple of the figure's height. */
export const initialDistance = (aspect: number): number => DISTANCE / Math.max(MIN_ASPECT, Math.min(1, aspect)) ** 0.6;
