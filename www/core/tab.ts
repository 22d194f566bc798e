/**
 * Assigns stored works to tabs, so that no two tabs write to the same work. A work is all that autosave stores of one
 * tab.
 */
import { randomId } from "./ids";

const KEY = "kinestitch-tab";

/** Maximum time that a reloaded page waits for its previous instance to release the lock, milliseconds. */
const LOCK_TIMEOUT_MS = 1500;

/** Requests the lock of a work and holds it until the page closes. Resolves to whether it was acquired. */
function requestLock(id: string, options: LockOptions): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(`kinestitch-work ${id}`, options, (held) => {
        resolve(held !== null);
        return held ? new Promise(() => undefined) : undefined;
      })
      .catch(() => resolve(false));
  });
}

/**
 * Acquires the lock of a work as {@link requestLock}. `waits`: whether to wait up to {@link LOCK_TIMEOUT_MS} for it. A
 * lock that is free is requested without this limit first: a page that starts slowly could miss it.
 */
async function acquireLock(id: string, waits: boolean): Promise<boolean> {
  // Insecure contexts (plain HTTP) have no locks.
  if (!("locks" in navigator)) return true;
  if (await requestLock(id, { ifAvailable: true })) return true;
  return waits && requestLock(id, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) });
}

/** Returns the id of this tab's work: after a reload, the one it had before, or the one chosen by `setWorkIdOfTab`. */
export function workIdOfTab(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Sets the id of this tab's work. It is opened when the tab is loaded next. */
export function setWorkIdOfTab(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // Storage may be disabled. Then no work is stored either.
  }
}

/** Acquires the first of these works that no other tab has open, or else a new one. Resolves to its id. */
export async function claimWork(ids: readonly string[]): Promise<string> {
  const last = workIdOfTab();
  for (const id of [...ids, randomId()]) {
    if (!(await acquireLock(id, id === last))) continue;
    setWorkIdOfTab(id);
    return id;
  }
  return randomId();
}

/** Whether any tab has a work open. */
export async function isOpenInTab(id: string): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `kinestitch-work ${id}`);
}
