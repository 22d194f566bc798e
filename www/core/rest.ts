/** What can wait until the motion is on the stage: it is fetched after that, so that the first picture comes soon. */

let release: (() => void) | undefined;
let waiting: Promise<void> = Promise.resolve();

/** From now on the rest waits. A page that never says so waits for nothing. */
export function holdRest(): void {
  waiting = new Promise((resolve) => (release = resolve));
}

/** The first picture is there. The mark tells tests, and whoever measures, when that was. */
export function releaseRest(): void {
  performance.mark("kinestitch-drawn");
  release?.();
}

/** Resolves when the rest may be fetched. */
export const rest = (): Promise<void> => waiting;
