/** The motion on its way to the mode "Stitch", as a file like any other. */
import { problemOf, sentence } from "../../core/engine";
import type { Inbetween } from "./inbetween";

export async function sendToStitch(mode: Inbetween): Promise<void> {
  const found = mode.exportable();
  const stitch = mode.app.modes.find(({ id }) => id === "stitch");
  if (!found || !stitch) return;
  try {
    const file = new File([await found.clip.toBvh()], `${found.name.replace(/[\\/]/g, " ")}.bvh`);
    found.saved();
    mode.app.show(stitch.id);
    stitch.open([file]);
  } catch (error) {
    mode.app.notify(`It could not be sent: ${sentence(problemOf(error).message)}`, "error");
  }
}
