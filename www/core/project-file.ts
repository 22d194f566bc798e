/** Project files: a record and its files, concatenated and compressed. */
import type { App } from "./app";
import { gather, restore, type Work } from "./kept";
import { download } from "./save";

const ENDING = "kinestitch";
/** Whether a file is a project file, by its name. */
export const isProject = ({ name }: File): boolean => name.toLowerCase().endsWith(`.${ENDING}`);

/** Largest uncompressed size of a project, and of its record, bytes. */
const [MOST, MOST_HEAD] = [2 ** 30, 2 ** 24];

/** Encodes a project file. The record is written unchanged, valid or not. */
export async function packed(kept: unknown, files: Work["files"]): Promise<Blob> {
  const list = [...files];
  const head = {
    kept,
    files: list.map(([name, file]) => ({ name, file: file.name, type: file.type, size: file.size })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const plain = new Blob([new Uint32Array([text.length]), text, ...list.map(([, file]) => file)]);
  return new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** Saves the work; returns the file's name, `undefined` where there is nothing to save. */
export async function saveProject(app: App): Promise<string | undefined> {
  const work = gather(app);
  if (!work) return undefined;
  return download(
    app.mode.exportable()?.name ?? "project",
    ENDING,
    await packed(work.kept, work.files),
    "application/gzip",
  );
}

/** Throws where more bytes arrive, because a small file may expand to very many. */
function limited(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > most) controller.error(new Error("it is larger than 1 GB unpacked"));
      else controller.enqueue(chunk);
    },
  });
}

/** The validated work of a project file. Rejects with a sentence. */
export async function readProject(app: App, file: File): Promise<Work> {
  const fail = new Error("it is no project file of Kinestitch, or it is damaged");
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(limited(MOST));
  const bytes = await new Response(unpacked).blob().catch((error: unknown) => {
    throw error instanceof Error && error.message.includes("1 GB") ? error : fail;
  });
  const length = bytes.size >= 4 ? new DataView(await bytes.slice(0, 4).arrayBuffer()).getUint32(0, true) : Infinity;
  if (length > Math.min(MOST_HEAD, bytes.size - 4)) throw fail;
  let head: unknown;
  try {
    head = JSON.parse(await bytes.slice(4, 4 + length).text());
  } catch {
    throw fail;
  }
  const { checkedHead } = await import("./kept-check");
  const { kept, files: listed } = await checkedHead(app, head);
  let at = 4 + length;
  const files = new Map<string, File>();
  for (const { name, file: own, type, size } of listed) {
    if (at + size > bytes.size) throw fail;
    files.set(name, new File([bytes.slice(at, at + size)], own, { type }));
    at += size;
  }
  return { kept, files };
}

/**
 * Replaces the present work by that of a project file; undo restores it. Rejects with a sentence, without any
 * change.
 */
export async function openProject(app: App, file: File): Promise<void> {
  const work = await readProject(app, file);
  await app.replace(`open ${file.name}`, async () => {
    await restore(app, work);
    await app.reshow(work.kept.mode);
  });
  app.notify(`${file.name} is open. Undo brings back the previous work.`);
}
