/** Export as FBX. The code and its wasm module are loaded with the first export. */
import type { Clip } from "kinestitch/worker";
import type { Exportable } from "./mode";

/** Encodes a motion as FBX. `character`: a GLB file with the character that gets the motion; absent for the skeleton. */
export async function fbxOf(
  clip: Exportable["clip"],
  character?: Uint8Array | ArrayBuffer,
): Promise<Uint8Array<ArrayBuffer>> {
  const { toFbx } = await import("kinestitch/write-fbx");
  return toFbx(clip as Clip, character ? { character } : {});
}
