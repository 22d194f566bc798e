/** Export as VRM Animation, for avatars of VRM 0 and 1. The code is loaded with the first export. */
import type { ClipInfo, Clip } from "kinestitch/worker";
import type { Exportable } from "./mode";

type ClipWithInfo = Exportable["clip"] & { info(): ClipInfo | Promise<ClipInfo> };

/** Whether a motion can be exported as VRM Animation: its skeleton must be a recognised biped. */
export async function allowsVrma(clip: Exportable["clip"] | undefined): Promise<boolean> {
  if (!clip || !("info" in clip)) return false;
  return (await (clip as ClipWithInfo).info()).kind === "biped";
}

/**
 * Encodes a motion as VRM Animation. If the body lacks a bone that VRM requires, rejects with an error whose message is
 * shown to the user.
 */
export async function vrmaOf(clip: Exportable["clip"]): Promise<Uint8Array<ArrayBuffer>> {
  const { toVrma } = await import("kinestitch/vrm");
  return toVrma(clip as Clip);
}
