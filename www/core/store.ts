/** The browser's own storage of the last work: a record, and beside it the files that it names, each written once. */
import { isKept, type Work } from "./kept";

const NAME = "kinestitch-work";

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("record");
      request.result.createObjectStore("files");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser keeps nothing"));
    request.onblocked = () => reject(new Error("another tab holds it"));
  });
}

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });

const done = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("the browser's storage failed"));
  });

/** Keeps work in the place of what was kept before; `undefined` forgets it. */
export async function put(work: Work | undefined): Promise<void> {
  const database = await opened();
  try {
    const transaction = database.transaction(["record", "files"], "readwrite");
    const [record, files] = [transaction.objectStore("record"), transaction.objectStore("files")];
    const finished = done(transaction);
    const known = new Set((await answer(files.getAllKeys())).map(String));
    for (const [name, file] of work?.files ?? []) if (!known.delete(name)) files.put(file, name);
    for (const name of known) files.delete(name);
    if (work) record.put(work.kept, "last");
    else record.delete("last");
    await finished;
  } finally {
    database.close();
  }
}

/** The work kept last. */
export async function get(): Promise<Work | undefined> {
  const database = await opened();
  try {
    const transaction = database.transaction(["record", "files"], "readonly");
    const [record, files] = [transaction.objectStore("record"), transaction.objectStore("files")];
    const [kept, names, values] = await Promise.all([answer<unknown>(record.get("last")), answer(files.getAllKeys()), answer(files.getAll())]);
    if (!isKept(kept)) return undefined;
    return { kept, files: new Map(names.map((name, i) => [String(name), values[i] as File])) };
  } finally {
    database.close();
  }
}
