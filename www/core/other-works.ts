/** Work stored in this browser that is not open in this tab, and saving stored work as a file. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { packProject } from "./project-file";
import { download } from "./save";
import { readFiles, readSlots, type Slot } from "./store";
import type { StoredWork } from "./stored-work";
import { isOpenInTab, workIdOfTab } from "./tab";

/** Work stored in this browser that is not the work of this tab. */
export interface OtherWork {
  slot: Slot;
  /** Whether another tab has it open. */
  isOpen: boolean;
}

/** Reads all other work stored in this browser, the newest first. */
export async function readOtherWorks(): Promise<OtherWork[]> {
  const slots = (await readSlots()).filter(({ id }) => id !== workIdOfTab());
  return Promise.all(slots.map(async (slot) => ({ slot, isOpen: await isOpenInTab(slot.id) })));
}

/** Saves stored work as a project file, without validating it. */
export async function saveSlot(app: App, { kept, good }: Slot): Promise<void> {
  try {
    const value = kept ?? good;
    const file = await packProject(value as StoredWork, await readFiles(value));
    app.notify(`Saved ${download("kinestitch work", "kinestitch", file, "application/gzip")}.`);
  } catch (error) {
    app.notify(`The work could not be saved: ${sentence(problemOf(error).message)}`, "error");
  }
}
