/** Results of edits of one motion. */
import type { EditedHandle } from "../../wasm/kinestitch.js";
import { KinestitchClip, pack } from "../core/clip.js";
import { callWasm, freeAfter } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { EditedClip, EditReport } from "../core/types.js";

/** A result of an edit. */
export class KinestitchEdited extends KinestitchClip implements EditedClip {
  readonly edits: EditReport["edits"];
  readonly warnings: string[];

  /** @internal */
  constructor(clip: PackedMotion, { edits, warnings }: EditReport) {
    super(clip);
    this.edits = edits;
    this.warnings = warnings;
  }
}

/** Converts a result of wasm to the package's class, and frees it. */
export const takeEdited = (handle: EditedHandle): EditedClip =>
  freeAfter(
    handle,
    () =>
      new KinestitchEdited(
        pack(handle.clip()),
        callWasm(() => handle.report() as EditReport),
      ),
  );
