/** Gate for code that can be loaded after the first render; at present the plot library. */

let openGate: (() => void) | undefined;
let gateOpened: Promise<void> = Promise.resolve();

/** Closes the gate. It is open on a page that never calls this function. */
export function closeLoadingGate(): void {
  gateOpened = new Promise((resolve) => (openGate = resolve));
}

/** Opens the gate. Call after the first render. Sets a performance mark for tests and benchmarks. */
export function openLoadingGate(): void {
  performance.mark("kinestitch-drawn");
  openGate?.();
}

/** Returns a promise that resolves when the gate is open. */
export const whenLoadingGateOpens = (): Promise<void> => gateOpened;
