/**
 * Project files. Format, compressed by gzip: length of the head in bytes (32 bits, little-endian), the head as JSON
 * (`kept`: the record of the work; `files`: a list of its files), then the contents of the files in the listed order.
 */
import type { App } from "./app";
import { collectWork, restoreWork, type WorkWithFiles } from "./stored-work";
import { download } from "./save";

const EXTENSION = "kinestitch";
/** Whether a file has the extension of project files. */
export const isProject = ({ name }: File): boolean => name.toLowerCase().endsWith(`.${EXTENSION}`);

/** Maximum uncompressed sizes of a project and of its head, bytes. */
const [MAX_BYTES, MAX_HEAD_BYTES] = [2 ** 30, 2 ** 24];

/** Encodes a project file. `record`: a `StoredWork`; it is not validated here, but when the file is opened. */
export async function packProject(record: unknown, files: WorkWithFiles["files"]): Promise<Blob> {
  const entries = [...files];
  const head = {
    kept: record,
    files: entries.map(([name, file]) => ({ name, file: file.name, type: file.type, size: file.size })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const uncompressed = new Blob([new Uint32Array([text.length]), text, ...entries.map(([, file]) => file)]);
  return new Response(uncompressed.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** Saves the work as a project file. Returns the file's name, or `undefined` if there is nothing to save. */
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

/** Creates a stream that fails after `limit` bytes, because a small compressed file may expand to a very large one. */
function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > limit) controller.error(new RangeError(`its uncompressed size exceeds ${limit / 2 ** 30} GB`));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * Reads and validates a project file. If it is damaged or too large, rejects with an error whose message is shown to
 * the user after the name of the file.
 */
export async function readProject(app: App, file: File): Promise<WorkWithFiles> {
  const damagedError = new Error("it is not a project file of Kinestitch, or it is damaged");
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(limitBytes(MAX_BYTES));
  // Only `limitBytes` gives a RangeError. All other errors, such as those of invalid gzip, mean a damaged file.
  const bytes = await new Response(unpacked).blob().catch((error: unknown) => {
    throw error instanceof RangeError ? error : damagedError;
  });
  const headLength =
    bytes.size >= 4 ? new DataView(await bytes.slice(0, 4).arrayBuffer()).getUint32(0, true) : Infinity;
  if (headLength > Math.min(MAX_HEAD_BYTES, bytes.size - 4)) throw damagedError;
  let head: unknown;
  try {
    head = JSON.parse(await bytes.slice(4, 4 + headLength).text());
  } catch {
    throw damagedError;
  }
  const { validateHead } = await import("./stored-work-schema");
  const { kept, files: listedFiles } = await validateHead(app, head);
  let offset = 4 + headLength;
  const files = new Map<string, File>();
  for (const { name, file: fileName, type, size } of listedFiles) {
    if (offset + size > bytes.size) throw damagedError;
    files.set(name, new File([bytes.slice(offset, offset + size)], fileName, { type }));
    offset += size;
  }
  return { record: kept, files };
}

/**
 * Replaces the current work by that of a project file, as one undoable step. If this fails, keeps the current work and
 * rejects with an error whose message is shown to the user after the name of the file.
 */
export async function openProject(app: App, file: File): Promise<void> {
  const work = await readProject(app, file);
  await app.replace(`open ${file.name}`, async () => {
    await restoreWork(app, work);
    await app.reshow(work.record.mode);
  });
  app.notify(`${file.name} is open. Undo brings back the previous work.`);
}
