/** Results of edits of one motion. */
import type { EditedHandle } from "../../wasm/kinestitch.js";
import { ReportedClip } from "../core/clip.js";
import { onThread, pack } from "../core/clip-methods.js";
import { callWasm, freeAfter } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { EditedClip, EditReport } from "../core/types.js";

/** Creates a result of an edit. */
export const editedClip = (clip: PackedMotion, report: EditReport): EditedClip =>
  new ReportedClip(onThread, clip, report) as ReportedClip & EditReport;

/** Converts a result of wasm to the package's class, and frees it. */
export const takeEdited = (handle: EditedHandle): EditedClip =>
  freeAfter(handle, () => {
    const report = callWasm(() => handle.report() as EditReport);
    return editedClip(pack(handle.clip()), report);
  });
