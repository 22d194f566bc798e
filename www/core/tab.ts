/** Assigns stored work to tabs: no two tabs write to the same one. */

const KEY = "kinestitch-tab";

/** Time that a reloaded page waits for its previous instance to release the lock, milliseconds. */
const LOCK_TIMEOUT_MS = 1500;

/** Takes the lock of a work for the lifetime of the page; resolves to whether it was free. */
function acquireLock(id: string, patient: boolean): Promise<boolean> {
  // Missing on pages without a secure context, which have no such storage either.
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

/** The work of this tab before its reload, or the one it is to open. */
export function workIdOfTab(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Sets the work of this tab for its next load. */
export function setWorkIdOfTab(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // Storage may be disabled; then nothing is stored either.
  }
}

/** The first of these works that no other tab has open, or a new one. */
export async function claimWork(ids: readonly string[]): Promise<string> {
  const last = workIdOfTab();
  for (const id of [...ids, crypto.randomUUID()]) {
    if (!(await acquireLock(id, id === last))) continue;
    setWorkIdOfTab(id);
    return id;
  }
  return crypto.randomUUID();
}

/** Whether a tab has a work open. */
export async function isOpenInTab(id: string): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `kinestitch-work ${id}`);
}
