/** Clips in the arguments of a request that waits for the worker. */
import { type KinestitchError, messageOf } from "../core/error.js";
import { wrongOption } from "../core/options.js";
import { PACKED, type PackedMotion } from "../core/packed.js";
import { KinestitchClip } from "../core/clip.js";
import { replaceObjects, type Request } from "./protocol.js";

/**
 * A clip in the arguments of a request. Its motion is captured when the request is made, because the clip may be freed
 * while the request waits.
 */
export class CapturedClip {
  readonly packed: PackedMotion;

  constructor(packed: PackedMotion) {
    this.packed = packed;
  }
}

/** Returns the request with a {@link CapturedClip} in place of each clip. */
export function captureClips(request: Request): Request {
  return replaceObjects(request, (value) => {
    if (!(PACKED in value)) return undefined;
    return new CapturedClip(KinestitchClip.packedOf(value, "a clip"));
  }) as Request;
}

/** Creates the error for a request that `postMessage` cannot clone. It names the option that is the cause, if any. */
export function cloneError(request: Request, cause: unknown): KinestitchError {
  const options =
    request.do === "task" || request.do === "gltf" || request.do === "createController"
      ? request.options
      : request.do === "init"
        ? request
        : {};
  const uncloneableOption = Object.entries(options).find(([, value]) => {
    try {
      // Clips are not the cause: placeholders replace them in the message.
      structuredClone(replaceObjects(value, (item) => (item instanceof CapturedClip ? null : undefined)));
      return false;
    } catch {
      return true;
    }
  });
  const name = uncloneableOption?.[0] ?? "arguments";
  return wrongOption(name, `${name} cannot be sent to a worker: ${messageOf(cause)}`);
}
