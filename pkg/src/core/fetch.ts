import { aborted, KinestitchError, messageOf } from "./error.js";
import type { TaskOptions } from "./types.js";

/**
 * Fetches the bytes of a URL, relative to the page. Without a Content-Length header, progress is reported only at the
 * end.
 */
export async function fetchBytes(location: string | URL, { signal, onProgress }: TaskOptions): Promise<Uint8Array> {
  const fail = (error: unknown): never => {
    if (signal?.aborted) throw aborted(signal);
    throw new KinestitchError("fetch", `cannot fetch ${location}: ${reasonOf(error)}`, { cause: error });
  };
  const response = await fetch(location, signal ? { signal } : {}).catch(fail);
  if (!response.ok) {
    throw new KinestitchError("fetch", `cannot fetch ${location}: ${response.status} ${response.statusText}`.trim());
  }
  const total = Number(response.headers.get("content-length"));
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(fail);
    if (done) break;
    chunks.push(value);
    length += value.length;
    // Content-Length counts compressed bytes, so the fraction is kept below 1 until the end.
    if (total > 0) onProgress?.({ stage: "fetch", done: Math.min(length / total, 0.99), bytes: length });
  }
  onProgress?.({ stage: "fetch", done: 1, bytes: length });
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Returns the message of an error of `fetch`; in Node, the cause is more precise than "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const detail = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  return `${messageOf(error)}${detail}`;
}
