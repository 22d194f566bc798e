/** Sends the result of the current mode to the mode "Stitch". */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

/** Adds the result of the current mode to the mode "Stitch" as a BVH file, and shows that mode. */
export async function sendToStitch(app: App): Promise<void> {
  const exported = app.mode.exportable();
  if (!exported) return;
  try {
    const file = new File([await exported.clip.toBvh()], `${exported.name.replace(/[\\/]/g, " ")}.bvh`);
    const stitch = await app.show("stitch");
    // `show` has reported that the mode could not be loaded; the motion is still unsaved.
    if (!stitch) return;
    stitch.open([file]);
    exported.onSaved();
  } catch (error) {
    app.notify(`The motion could not be sent to Stitch: ${sentence(problemOf(error).message)}`, "error");
  }
}
