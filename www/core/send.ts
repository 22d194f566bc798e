/** Sends the result of a mode to the mode "Stitch", as an ordinary file. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

export async function sendToStitch(app: App): Promise<void> {
  const exported = app.mode.exportable();
  if (!exported) return;
  try {
    const file = new File([await exported.clip.toBvh()], `${exported.name.replace(/[\\/]/g, " ")}.bvh`);
    exported.onSaved();
    const stitch = await app.show("stitch");
    stitch?.open([file]);
  } catch (error) {
    app.notify(`It could not be sent: ${sentence(problemOf(error).message)}`, "error");
  }
}
