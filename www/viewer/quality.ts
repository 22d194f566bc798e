/** Lowers the drawing quality on slow machines, one step at a time. */

const LEVELS: readonly { ratio: number; shadows: boolean }[] = [
  { ratio: 2, shadows: true },
  { ratio: 1, shadows: true },
  { ratio: 1, shadows: false },
  { ratio: 0.7, shadows: false },
];

/** Mean milliseconds per frame above which quality is lowered. */
const SLOW_MS = 34;
const SAMPLE_FRAMES = 24;
/** Machines slower than this are measured for a shorter time. */
const VERY_SLOW_MS = 90;
const SHORT_SAMPLE_FRAMES = 6;

/** Measures frame times during movement, and decides on the quality. */
export class Quality {
  #level = 0;
  #last = 0;
  #sum = 0;
  #count = 0;
  #apply: (ratio: number, shadows: boolean) => void;

  constructor(apply: (ratio: number, shadows: boolean) => void) {
    this.#apply = apply;
    this.#applyLevel();
  }

  #applyLevel(): void {
    const { ratio, shadows } = LEVELS[this.#level];
    this.#apply(Math.min(ratio, window.devicePixelRatio || 1), shadows);
  }

  /** Call in every animation frame during movement. */
  tick(now: number): void {
    if (this.#last > 0 && now - this.#last < 1000) {
      this.#sum += now - this.#last;
      this.#count++;
    }
    this.#last = now;
    const isVerySlow = this.#count >= SHORT_SAMPLE_FRAMES && this.#sum / this.#count > VERY_SLOW_MS;
    if (this.#count < SAMPLE_FRAMES && !isVerySlow) return;
    if (this.#sum / this.#count > SLOW_MS && this.#level < LEVELS.length - 1) {
      this.#level++;
      this.#applyLevel();
    }
    this.#sum = this.#count = 0;
  }

  /** Nothing moves: the next interval is not a measurement. */
  pause(): void {
    this.#last = 0;
  }
}
