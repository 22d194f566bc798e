/** Assigns stored work to tabs, so that no two tabs write to one work. */

const KEY = "kinestitch-tab";

/** Time that a reloaded page waits until its previous instance releases the lock, milliseconds. */
const LOCK_TIMEOUT_MS = 1500;

/** Acquires the lock of a work until the page closes. Resolves to whether it was free. `patient`: waits for it. */
function acquireLock(id: string, patient: boolean): Promise<boolean> {
  // Pages without a secure context have no locks.
  if (!("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const options: LockOptions = patient ? { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) } : { ifAvailable: true };
    navigator.locks
      .request(`kinestitch-work ${id}`, options, (held) => {
        resolve(held !== null);
        return held ? new Promise(() => undefined) : undefined;
      })
      .catch(() => resolve(false));
  });
}

/** Returns the id of this tab's work before the reload, or of the work that the tab will open. */
export function workIdOfTab(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Sets the id of the work that this tab opens when it is loaded next. */
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
  for (const id of [...ids, crypto.randomUUID()]) {
    if (!(await acquireLock(id, id === last))) continue;
    setWorkIdOfTab(id);
    return id;
  }
  return crypto.randomUUID();
}

/** Whether any tab has a work open. */
export async function isOpenInTab(id: string): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `kinestitch-work ${id}`);
}
