/** Milliseconds after which long computations let events be handled. */
export const TURN = 12;

/** Lets events be handled; unlike a timer, without a minimum delay. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
