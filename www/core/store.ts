/** Storage of work in IndexedDB: one slot per tab, and the files of all slots, each stored once. */

const NAME = "kinestitch-work";

/**
 * Stored work of a tab. Slots may be damaged, or written by an older version: `kept` and `good`, which are records of
 * work (`StoredWork`), must be validated before use.
 */
export interface Slot {
  readonly id: string;
  /** The last stored work; absent after "New project". */
  kept?: unknown;
  /** The last stored work that was also drawn without errors. */
  good?: unknown;
  /** Time of storing, ms since 1970. */
  saved: number;
  /** Path and query of the page, if a link opened it. */
  link?: string;
  /** Number of consecutive visits that started to restore the work, and ended before it was drawn. */
  tries: number;
  /** Reason why the work cannot be opened. It is kept, so that the user can save it as a file. */
  fault?: string;
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("record");
      request.result.createObjectStore("files");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("this browser does not store data"));
    request.onblocked = () => reject(new Error("another tab blocks the browser's storage"));
  });
}

/** Waits for the result of a request. */
const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });

/** Waits for the completion of a transaction. */
const completion = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    // A failed request aborts the transaction, whose `error` is set only then.
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser's storage failed"));
  });

/** Runs a transaction over the slots and the files, and waits for its completion. */
async function transact<T>(
  mode: IDBTransactionMode,
  run: (records: IDBObjectStore, files: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(["record", "files"], mode);
    const finished = completion(transaction);
    const [result] = await Promise.all([
      run(transaction.objectStore("record"), transaction.objectStore("files")),
      finished,
    ]);
    return result;
  } finally {
    database.close();
  }
}

/** Converts any stored value to a slot. Older versions of this page stored only the work itself. */
function slotOf(id: string, value: unknown): Slot {
  const { kept, good, saved, link, tries, fault, ...rest } = (
    typeof value === "object" && value !== null ? value : { value }
  ) as Record<string, unknown>;
  const isSlot = kept !== undefined || good !== undefined || typeof saved === "number";
  return {
    id,
    ...(isSlot ? { ...(kept !== undefined && { kept }), ...(good !== undefined && { good }) } : { kept: rest }),
    saved: typeof saved === "number" ? saved : 0,
    ...(typeof link === "string" && { link }),
    tries: typeof tries === "number" ? tries : 0,
    ...(typeof fault === "string" && { fault }),
  };
}

/** Finds the names of files that occur anywhere in a value. */
function findFileNames(value: unknown, names: ReadonlySet<string>): Set<string> {
  const matches = new Set<string>();
  const seen = new Set<object>();
  const pending = [value];
  while (pending.length > 0) {
    const inspected = pending.pop();
    if (typeof inspected === "string" && names.has(inspected)) matches.add(inspected);
    if (typeof inspected !== "object" || inspected === null || seen.has(inspected)) continue;
    seen.add(inspected);
    for (const inner of Object.values(inspected) as unknown[]) pending.push(inner);
  }
  return matches;
}

/** Removes the files that no slot names. */
async function removeUnusedFiles(records: IDBObjectStore, files: IDBObjectStore): Promise<void> {
  const [slots, keys] = await Promise.all([resultOf<unknown[]>(records.getAll()), resultOf(files.getAllKeys())]);
  const names = new Set(keys.map(String));
  const used = findFileNames(slots, names);
  for (const name of names) if (!used.has(name)) files.delete(name);
}

/** Reads all slots, the newest first. */
export const readSlots = (): Promise<Slot[]> =>
  transact("readonly", async (records) => {
    const [ids, values] = await Promise.all([resultOf(records.getAllKeys()), resultOf<unknown[]>(records.getAll())]);
    return ids.map((id, i) => slotOf(String(id), values[i])).sort((a, b) => b.saved - a.saved);
  });

/** Stores a slot under its id, with its files that are not stored yet, and removes unused files. */
export const putSlot = ({ id, ...slot }: Slot, newFiles: ReadonlyMap<string, File> = new Map()): Promise<void> =>
  transact("readwrite", async (records, files) => {
    const storedNames = new Set((await resultOf(files.getAllKeys())).map(String));
    for (const [name, file] of newFiles) if (!storedNames.has(name)) files.put(file, name);
    records.put(slot, id);
    await removeUnusedFiles(records, files);
  });

/** Deletes a slot, and the files that no other slot names. */
export const removeSlot = (id: string): Promise<void> =>
  transact("readwrite", async (records, files) => {
    records.delete(id);
    await removeUnusedFiles(records, files);
  });

/** Reads the stored files that a work names, by name. Missing files are left out. */
export const readFiles = (kept: unknown): Promise<Map<string, File>> =>
  transact("readonly", async (_, files) => {
    const names = new Set((await resultOf(files.getAllKeys())).map(String));
    const result = new Map<string, File>();
    for (const name of findFileNames(kept, names)) {
      const file = await resultOf<unknown>(files.get(name));
      if (file instanceof File) result.set(name, file);
    }
    return result;
  });
