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
const damagedError = (): Error => new Error("it is not a project file of Kinestitch, or it is damaged");
const tooLargeError = (): Error => new RangeError(`its uncompressed size exceeds ${MAX_BYTES / 2 ** 30} GB`);

/**
 * Encodes a project file. `record`: a `StoredWork`; it is not validated here, but when the file is opened. Rejects if the
 * file would be too large to be opened.
 */
export async function packProject(record: unknown, files: WorkWithFiles["files"]): Promise<Blob> {
  const entries = [...files];
  const head = {
    kept: record,
    files: entries.map(([name, file]) => ({ name, file: file.name, type: file.type, size: file.size })),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const uncompressed = new Blob([new Uint32Array([text.length]), text, ...entries.map(([, file]) => file)]);
  if (uncompressed.size > MAX_BYTES) throw tooLargeError();
  if (text.length > MAX_HEAD_BYTES)
    throw new RangeError(`its size without the files exceeds ${MAX_HEAD_BYTES / 2 ** 20} MB`);
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

/** Decompresses a project file up to {@link MAX_BYTES}, because a small file may expand to a very large one. */
async function unpack(file: File): Promise<Blob> {
  let bytes = 0;
  const limiter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) controller.error(tooLargeError());
      else controller.enqueue(chunk);
    },
  });
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(limiter);
  // Browsers may replace the error of a stream by their own, so the number of bytes shows the cause.
  return new Response(unpacked).blob().catch(() => {
    throw bytes > MAX_BYTES ? tooLargeError() : damagedError();
  });
}

/**
 * Reads and validates a project file. If it is damaged or too large, rejects with an error whose message is shown to
 * the user after the name of the file.
 */
export async function readProject(app: App, file: File): Promise<WorkWithFiles> {
  const bytes = await unpack(file);
  const headLength =
    bytes.size >= 4 ? new DataView(await bytes.slice(0, 4).arrayBuffer()).getUint32(0, true) : Infinity;
  if (headLength > Math.min(MAX_HEAD_BYTES, bytes.size - 4)) throw damagedError();
  let head: unknown;
  try {
    head = JSON.parse(await bytes.slice(4, 4 + headLength).text());
  } catch {
    throw damagedError();
  }
  const { validateHead } = await import("./stored-work-schema");
  const { kept, files: listedFiles } = await validateHead(app, head);
  let offset = 4 + headLength;
  const files = new Map<string, File>();
  for (const { name, file: fileName, type, size } of listedFiles) {
    if (offset + size > bytes.size) throw damagedError();
    files.set(name, new File([bytes.slice(offset, offset + size)], fileName, { type }));
    offset += size;
  }
  return { record: kept, files };
}

/**
 * Replaces the current work by that of a project file, as one undoable step. If this fails, keeps the current work and
 * rejects with an error whose message is shown to the user after the name of the file. `remark`: end of the notice.
 */
export async function openProject(app: App, file: File, remark = ""): Promise<void> {
  const work = await readProject(app, file);
  await app.replace(`open ${file.name}`, async () => {
    await restoreWork(app, work);
    await app.reshow(work.record.mode);
  });
  app.notify(`${file.name} is open. Undo brings back the previous work.${remark}`);
}
