/** Sends the result of the current mode to the mode "Stitch". */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

/** Adds the result of the current mode to the mode "Stitch" as a BVH file, and shows that mode. */
export async function sendToStitch(app: App): Promise<void> {
  const exported = app.mode.exportable();
  if (!exported) return;
  try {
    const file = new File([await exported.clip.toBvh()], `${exported.name.replace(/[\\/]/g, " ")}.bvh`);
    exported.onSaved();
    const stitch = await app.show("stitch");
    stitch?.open([file]);
  } catch (error) {
    app.notify(`The motion could not be sent to Stitch: ${sentence(problemOf(error).message)}`, "error");
  }
}
