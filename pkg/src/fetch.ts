import { aborted, KinestitchError, messageOf } from "./error.js";
import type { TaskOptions } from "./types.js";

/** The bytes of a URL, relative to the page; progress follows Content-Length where the server tells it. */
export async function fetchBytes(location: string | URL, { signal, onProgress }: TaskOptions): Promise<Uint8Array> {
  try {
    const response = await fetch(location, signal ? { signal } : {});
    if (!response.ok) {
      throw new KinestitchError("fetch", `cannot fetch ${location}: ${response.status} ${response.statusText}`.trim());
    }
    return await readBody(response, (done) => onProgress?.({ stage: "fetch", done }));
  } catch (error) {
    if (signal?.aborted) throw aborted(signal);
    if (error instanceof KinestitchError) throw error;
    throw new KinestitchError("fetch", `cannot fetch ${location}: ${messageOf(error)}`, { cause: error });
  }
}

async function readBody(response: Response, onProgress: (done: number) => void): Promise<Uint8Array> {
  const total = Number(response.headers.get("content-length"));
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    // Content-Length counts compressed bytes: never claim the end early.
    if (total > 0) onProgress(Math.min(length / total, 0.99));
  }
  onProgress(1);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
