/**
 * The gate of the first load: code and files that can be loaded after the 3D view has drawn a motion wait for it, at present
 * the plot library and the files of the demo. Sets performance marks for tests and benchmarks.
 */

let openGate: (() => void) | undefined;
let gateOpened: Promise<void> = Promise.resolve();

/** Closes the gate. It is open on a page that never calls this function. */
export function closeLoadingGate(): void {
  gateOpened = new Promise((resolve) => (openGate = resolve));
}

/** Call after the first drawing on the 2D canvas. */
export function markFirstDrawing(): void {
  performance.mark("kinestitch-drawn");
}

/** Opens the gate. Call when the 3D view has drawn a motion, or cannot; later calls have no effect. */
export function openLoadingGate(): void {
  if (!openGate) return;
  performance.mark("kinestitch-view-drawn");
  openGate();
  openGate = undefined;
}

/** Returns a promise that resolves when the gate is open. */
export const whenLoadingGateOpens = (): Promise<void> => gateOpened;
