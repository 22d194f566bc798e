/** Delays loading of everything that is not needed for the first picture. */

let release: (() => void) | undefined;
let waiting: Promise<void> = Promise.resolve();

/** Starts the delay. A page that never calls this delays nothing. */
export function holdDeferredLoading(): void {
  waiting = new Promise((resolve) => (release = resolve));
}

/** Ends the delay: the first picture is displayed. The mark gives the time to tests and measurements. */
export function releaseDeferredLoading(): void {
  performance.mark("kinestitch-drawn");
  release?.();
}

/** Resolves when the rest may be loaded. */
export const deferredLoading = (): Promise<void> => waiting;
