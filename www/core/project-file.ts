/** Project files: a record and its files, concatenated and compressed. */
import type { App } from "./app";
import { collectWork, restoreWork, type WorkWithFiles } from "./stored-work";
import { download } from "./save";

const EXTENSION = "kinestitch";
/** Whether a file is a project file, by its name. */
export const isProject = ({ name }: File): boolean => name.toLowerCase().endsWith(`.${EXTENSION}`);

/** Largest uncompressed size of a project, and of its record, bytes. */
const [MAX_BYTES, MAX_HEAD_BYTES] = [2 ** 30, 2 ** 24];

/** Encodes a project file. The record is written unchanged, valid or not. */
export async function packProject(record: unknown, files: WorkWithFiles["files"]): Promise<Blob> {
  const list = [...files];
  const head = {
    kept: record,
    files: list.map(([name, file]) => ({ name, file: file.name, type: file.type, size: file.size })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const plain = new Blob([new Uint32Array([text.length]), text, ...list.map(([, file]) => file)]);
  return new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** Saves the work; returns the file's name, `undefined` where there is nothing to save. */
export async function saveProject(app: App): Promise<string | undefined> {
  const work = collectWork(app);
  if (!work) return undefined;
  return download(
    app.mode.exportable()?.name ?? "project",
    EXTENSION,
    await packProject(work.record, work.files),
    "application/gzip",
  );
}

/** Throws where more bytes arrive, because a small file may expand to very many. */
function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > limit) controller.error(new Error("it is larger than 1 GB unpacked"));
      else controller.enqueue(chunk);
    },
  });
}

/** The validated work of a project file. Rejects with a sentence. */
export async function readProject(app: App, file: File): Promise<WorkWithFiles> {
  const damaged = new Error("it is no project file of Kinestitch, or it is damaged");
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(limitBytes(MAX_BYTES));
  const bytes = await new Response(unpacked).blob().catch((error: unknown) => {
    throw error instanceof Error && error.message.includes("1 GB") ? error : damaged;
  });
  const length = bytes.size >= 4 ? new DataView(await bytes.slice(0, 4).arrayBuffer()).getUint32(0, true) : Infinity;
  if (length > Math.min(MAX_HEAD_BYTES, bytes.size - 4)) throw damaged;
  let head: unknown;
  try {
    head = JSON.parse(await bytes.slice(4, 4 + length).text());
  } catch {
    throw damaged;
  }
  const { validateHead: checkedHead } = await import("./stored-work-schema");
  const { kept, files: listed } = await checkedHead(app, head);
  let offset = 4 + length;
  const files = new Map<string, File>();
  for (const { name, file: fileName, type, size } of listed) {
    if (offset + size > bytes.size) throw damaged;
    files.set(name, new File([bytes.slice(offset, offset + size)], fileName, { type }));
    offset += size;
  }
  return { record: kept, files };
}

/**
 * Replaces the present work by that of a project file; undo restores it. Rejects with a sentence, without any
 * change.
 */
export async function openProject(app: App, file: File): Promise<void> {
  const work = await readProject(app, file);
  await app.replace(`open ${file.name}`, async () => {
    await restoreWork(app, work);
    await app.reshow(work.record.mode);
  });
  app.notify(`${file.name} is open. Undo brings back the previous work.`);
}
