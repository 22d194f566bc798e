/** Work as one file: a record and the files that it names, one after the other, compressed. */
import type { App } from "./app";
import { gather, isKept, restore, type Kept } from "./kept";
import { download } from "./save";

const ENDING = "kinestitch";
export const isProject = ({ name }: File): boolean => name.toLowerCase().endsWith(`.${ENDING}`);

interface Head {
  kept: Kept;
  files: { name: string; file: string; type: string; size: number }[];
}

/** Saves the work; returns the file's name, `undefined` where there is nothing to save. */
export async function saveProject(app: App): Promise<string | undefined> {
  const work = gather(app);
  if (!work) return undefined;
  const files = [...work.files];
  const head: Head = { kept: work.kept, files: files.map(([name, file]) => ({ name, file: file.name, type: file.type, size: file.size })) };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const plain = new Blob([new Uint32Array([text.length]), text, ...files.map(([, file]) => file)]);
  const packed = await new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  return download(app.mode.exportable()?.name ?? "project", ENDING, packed, "application/gzip");
}

/** Opens such a file in the place of what there is. Rejects with a sentence. */
export async function openProject(app: App, file: File): Promise<void> {
  const fail = new Error("it is no project file of Kinestitch, or it is damaged");
  const bytes = await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer().catch(() => {
    throw fail;
  });
  const length = bytes.byteLength >= 4 ? new DataView(bytes).getUint32(0, true) : Infinity;
  if (length > bytes.byteLength - 4) throw fail;
  let head: Partial<Head>;
  try {
    head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Partial<Head>;
  } catch {
    throw fail;
  }
  if (!isKept(head.kept) || !Array.isArray(head.files)) throw fail;
  let at = 4 + length;
  const files = new Map<string, File>();
  for (const { name, file: own, type, size } of head.files) {
    if (!(size >= 0) || at + size > bytes.byteLength) throw fail;
    files.set(name, new File([new Uint8Array(bytes, at, size)], own, { type }));
    at += size;
  }
  app.characters.remove();
  await restore(app, { kept: head.kept, files });
}
