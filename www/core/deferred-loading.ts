/** Defers the loading of all code that the first picture does not need. */

let release: (() => void) | undefined;
let waiting: Promise<void> = Promise.resolve();

/** Starts to defer. A page that never calls this function defers nothing. */
export function holdDeferredLoading(): void {
  waiting = new Promise((resolve) => (release = resolve));
}

/** Ends the deferral: the first picture is displayed. Sets a performance mark for tests and benchmarks. */
export function releaseDeferredLoading(): void {
  performance.mark("kinestitch-drawn");
  release?.();
}

/** Resolves when the deferred code may be loaded. */
export const deferredLoading = (): Promise<void> => waiting;
