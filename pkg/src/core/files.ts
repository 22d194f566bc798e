/** What an entry brings to read files with, on the side that the caller is on: also where a worker computes. */
import { KinestitchError } from "./error.js";
import type { ReadBeside } from "../gltf/outside.js";
import type { ReadLocation } from "./input.js";
import type { MotionData } from "./motion-types.js";
import type { Clip, WorkerClip } from "./types.js";

/** What reads and writes glTF files; fetched on first need. */
export type GltfReader = Pick<
  typeof import("../gltf/read.js"),
  "readGltf" | "characterOf" | "tracksOf" | "withAnimation"
>;

export interface Files {
  read: ReadLocation;
  /** Reads what lies beside a document, where there are folders. */
  beside?: ReadBeside;
  gltf(): Promise<GltfReader>;
  /** The entry's own `load`. */
  load(data: MotionData): Promise<Clip | WorkerClip>;
}

let provided: Files | undefined;

/** Takes what an entry brings; of several entries the first counts. */
export function provideFiles(files: Files): void {
  provided ??= files;
}

/** What reads files beside documents, if the entry has it. */
export const besideOf = (): ReadBeside | undefined => provided?.beside;

export function files(): Files {
  if (!provided)
    throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/worker"');
  return provided;
}
