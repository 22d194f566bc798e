/** Exports as VRM Animation, for avatars of VRM 0 and 1. Its writer is fetched with the first export. */
import type { ClipInfo, WorkerClip } from "kinestitch/worker";
import type { Exportable } from "./mode";

type ClipWithInfo = Exportable["clip"] & { info(): ClipInfo | Promise<ClipInfo> };

/** Whether a motion can be a VRM Animation: that of a person, with bones that are known. */
export async function allowsVrma(clip: Exportable["clip"] | undefined): Promise<boolean> {
  if (!clip || !("info" in clip)) return false;
  return (await (clip as ClipWithInfo).info()).kind === "biped";
}

/** A motion as a VRM Animation. Rejects with a sentence where VRM requires a bone that the body lacks. */
export async function vrmaOf(clip: Exportable["clip"]): Promise<Uint8Array<ArrayBuffer>> {
  const { toVrma } = await import("kinestitch/vrm");
  return toVrma(clip as WorkerClip);
}
