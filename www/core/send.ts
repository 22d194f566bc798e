/** What a mode has made on its way to the mode "Stitch", as a file like any other. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";

export async function sendToStitch(app: App): Promise<void> {
  const found = app.mode.exportable();
  const stitch = app.modes.find(({ id }) => id === "stitch");
  if (!found || !stitch) return;
  try {
    const file = new File([await found.clip.toBvh()], `${found.name.replace(/[\\/]/g, " ")}.bvh`);
    found.saved();
    app.show(stitch.id);
    stitch.open([file]);
  } catch (error) {
    app.notify(`It could not be sent: ${sentence(problemOf(error).message)}`, "error");
  }
}
