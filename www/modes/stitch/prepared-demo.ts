/** The demo's motion as the build has stitched it (scripts/demo-motion.mjs): shown while the wasm module is loaded. */
import type { FrameRange, JointInfo, RigMap } from "kinestitch/worker";
import { clipColor } from "../../viewer/palette";
import type { DisplayedMotion } from "../../viewer/poses";

/** Contents of demo-motion.json. */
export interface DemoData {
  name: string;
  frames: number;
  fps: number;
  joints: JointInfo[];
  rig: RigMap;
  /** Contacts of the left and the right foot, one digit per frame. */
  contact: string[];
  /** First frame of each clip. */
  starts: number[];
  seams: { frame: number; editedRange: FrameRange }[];
  /** Second differences of the world positions over the frames, millimetres, [frames × joints × 3]. */
  millimetres: number[];
}

/** Decodes the motion for the viewer. */
export function decodeDemo({ contact, starts, seams, millimetres, ...info }: DemoData): DisplayedMotion {
  const width = info.joints.length * 3;
  const values = Int32Array.from(millimetres);
  const at = (index: number): number => (index < 0 ? 0 : values[index]);
  for (let index = 0; index < values.length; index++) values[index] += 2 * at(index - width) - at(index - 2 * width);
  return {
    motion: { ...info, positions: Float32Array.from(values, (value) => value / 1000) },
    contact: contact.map((foot) => Uint8Array.from(foot, Number)),
    segments: starts.map((start, index) => ({ start, color: clipColor(index) })),
    seams,
  };
}

/** Fetches the motion; `undefined` if it cannot be fetched: the page then waits for the module. */
export async function fetchPreparedDemo(): Promise<DisplayedMotion | undefined> {
  try {
    const response = await fetch(new URL("./demo-motion.json", import.meta.url));
    return response.ok ? decodeDemo((await response.json()) as DemoData) : undefined;
  } catch {
    return undefined;
  }
}
