/** Time after which a long computation pauses, so that the thread can handle events; milliseconds. */
export const SLICE_MS = 12;

/** Resolves after the thread has handled waiting events; unlike a timer, without a minimum delay. */
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
