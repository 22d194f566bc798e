/** Which of the works that this browser keeps is this tab's: no two tabs write to the same one. */

const KEY = "kinestitch-tab";

/** How long a page that was loaded anew waits for its former self to let go. */
const PATIENCE_MS = 1500;

/** Takes the lock of a work for as long as the page lives; whether it was free. */
function lock(id: string, patient: boolean): Promise<boolean> {
  // Absent on pages that are not served securely, which have no such storage either.
  if (!("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const options: LockOptions = patient ? { signal: AbortSignal.timeout(PATIENCE_MS) } : { ifAvailable: true };
    navigator.locks
      .request(`kinestitch-work ${id}`, options, (held) => {
        resolve(held !== null);
        return held ? new Promise(() => undefined) : undefined;
      })
      .catch(() => resolve(false));
  });
}

/** The work that this tab had before it was loaded anew, or is told to open. */
export function lastOfTab(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Names the work that this tab has from its next load on. */
export function nextOfTab(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // Storage may be switched off; then nothing is kept either.
  }
}

/** The first of these works that no other tab has, or a new one. */
export async function claim(ids: readonly string[]): Promise<string> {
  const last = lastOfTab();
  for (const id of [...ids, crypto.randomUUID()]) {
    if (!(await lock(id, id === last))) continue;
    nextOfTab(id);
    return id;
  }
  return crypto.randomUUID();
}

/** Whether a tab has a work. */
export async function isTaken(id: string): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `kinestitch-work ${id}`);
}
