/** Export dialog: contents, format, frame rate, with or without root motion. */
import type { App } from "./app";
import type { WorkerClip } from "./engine";
import { problemOf, sentence } from "./engine";
import type { Exportable } from "./mode";
import { writeMotion, type Format } from "./save";

/** Choice in the export dialog. */
export interface ExportChoice {
  /** "result", "clips" for all of them, or the id of one. */
  contents: string;
  format: Format;
  /** Frames a second; absent: as it is. */
  fps?: number;
  inPlace: boolean;
}

type ConvertibleClip = Pick<WorkerClip, "inPlace" | "resample"> & Exportable["clip"];

/** Saves what was chosen, a file each. */
export async function exportChosen(app: App, { contents: what, format, fps, inPlace }: ExportChoice): Promise<void> {
  try {
    const result = app.mode.exportable();
    const parts = app.mode.exportableClips?.() ?? [];
    const chosen =
      what === "result"
        ? result
          ? [{ name: result.name, clip: async () => result.clip }]
          : []
        : parts.filter(({ id }) => what === "clips" || id === what);
    if (chosen.length === 0) throw new Error("there is nothing to export yet");
    const saved: string[] = [];
    for (const { name, clip } of chosen) {
      let motion = (await clip()) as ConvertibleClip;
      if (inPlace) motion = await motion.inPlace();
      if (fps) motion = await motion.resample(fps);
      saved.push(await writeMotion(app, { name, clip: motion }, format));
    }
    if (what === "result") result?.onSaved();
    app.notify(`Saved ${saved.join(", ")}.`);
  } catch (error) {
    app.notify(`Export failed: ${sentence(problemOf(error).message)}`, "error");
  }
}
