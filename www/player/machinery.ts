/** The heavy half of the element: the worker with the wasm, and the viewer with three.js. Loaded when first seen. */
import { load } from "kinestitch/small";
import type { Show } from "../viewer/poses";

export { Viewer } from "../viewer/viewer";

/** Files already read: the same motion on a page twice is read once. */
const known = new Map<string, Promise<Show>>();

async function show(url: URL): Promise<Show> {
  const clip = await load(url);
  const [info, positions, curves] = await Promise.all([clip.info(), clip.positions(), clip.curves()]);
  if (info.frames === 0) throw new Error("the file holds a skeleton and no frames");
  return { motion: { ...info, positions }, contact: curves.contact, parts: [], seams: [] };
}

export function read(url: URL): Promise<Show> {
  const started = known.get(url.href) ?? show(url);
  known.set(url.href, started);
  // A failure is tried again by the next player that asks.
  started.catch(() => known.delete(url.href));
  return started;
}
