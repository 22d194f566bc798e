/** Runs the export that the export dialog describes. */
import type { App } from "./app";
import type { Clip } from "./engine";
import { problemOf, sentence } from "./engine";
import type { Exportable } from "./mode";
import { distinctFileNames, writeMotion, type Format } from "./save";

/** Choices in the export dialog. */
export interface ExportChoice {
  /** "result", "clips" for all clips, or the id of one clip. */
  contents: string;
  format: Format;
  /** Frames per second; absent to keep the frame rate. */
  fps?: number;
  /** Whether to remove the movement over the ground. */
  inPlace: boolean;
}

type ConvertibleClip = Pick<Clip, "inPlace" | "resample"> & Exportable["clip"];

/** Saves the chosen motions, one file each. Shows the result or the error as a notice. */
export async function exportChosen(app: App, { contents, format, fps, inPlace }: ExportChoice): Promise<void> {
  const saved: string[] = [];
  try {
    const result = app.mode.exportable();
    const parts = app.mode.exportableClips?.() ?? [];
    const chosen =
      contents === "result"
        ? result
          ? [{ name: result.name, clip: async () => result.clip }]
          : []
        : parts.filter(({ id }) => contents === "clips" || id === contents);
    if (chosen.length === 0) throw new Error("there is nothing to export yet");
    const names = distinctFileNames(chosen.map(({ name }) => name));
    for (const [i, { clip }] of chosen.entries()) {
      let motion = (await clip()) as ConvertibleClip;
      if (inPlace) motion = await motion.inPlace();
      if (fps) motion = await motion.resample(fps);
      saved.push(await writeMotion(app, { name: names[i], clip: motion }, format));
    }
    if (contents === "result") result?.onSaved();
    app.notify(`Saved ${saved.join(", ")}.`);
  } catch (error) {
    const extent = saved.length > 0 ? ` after ${saved.join(", ")}` : "";
    app.notify(`Export failed${extent}: ${sentence(problemOf(error).message)}`, "error");
  }
}
