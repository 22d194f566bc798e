/** Sends the result of a mode to the mode "Stitch", as an ordinary file. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

export async function sendToStitch(app: App): Promise<void> {
  const found = app.mode.exportable();
  if (!found) return;
  try {
    const file = new File([await found.clip.toBvh()], `${found.name.replace(/[\\/]/g, " ")}.bvh`);
    found.saved();
    const stitch = await app.show("stitch");
    stitch?.open([file]);
  } catch (error) {
    app.notify(`It could not be sent: ${sentence(problemOf(error).message)}`, "error");
  }
}
