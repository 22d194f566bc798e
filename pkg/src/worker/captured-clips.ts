/** Clips in the arguments of a request that waits for the worker. */
import { type KinestitchError, messageOf } from "../core/error.js";
import { wrongOption } from "../core/options.js";
import type { PackedMotion } from "../core/packed.js";
import { RemoteClip } from "./clip.js";
import { type ClipPlaceholder, replaceObjects, type Request } from "./protocol.js";

/**
 * A clip in the arguments of a request. Its motion is captured when the request is made, because the clip may be freed
 * while the request waits.
 */
export class CapturedClip {
  readonly sent: ClipPlaceholder & { readonly $clip: PackedMotion };

  constructor(sent: ClipPlaceholder & { readonly $clip: PackedMotion }) {
    this.sent = sent;
  }
}

/** Returns the request with a {@link CapturedClip} in place of each clip. */
export function captureClips(request: Request): Request {
  return replaceObjects(request, (value) => {
    const sent = RemoteClip.placeholderOf(value);
    return sent && new CapturedClip(sent);
  }) as Request;
}

/** Creates the error for a request that `postMessage` cannot clone. */
export function cloneError(request: Request, cause: unknown): KinestitchError {
  const options =
    request.do === "task" || request.do === "gltf" || request.do === "createController"
      ? request.options
      : request.do === "init"
        ? request
        : {};
  const uncloneableOption = Object.entries(options).find(([, value]) => {
    try {
      structuredClone(replaceObjects(value, (item) => (item instanceof CapturedClip ? null : undefined)));
      return false;
    } catch {
      return true;
    }
  });
  const name = uncloneableOption?.[0] ?? "arguments";
  return wrongOption(name, `${name} cannot be sent to a worker: ${messageOf(cause)}`);
}
