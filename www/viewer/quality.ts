/** Lowers the drawing quality on slow machines, one level at a time. */

/** Levels of quality: maximum pixel ratio, and whether shadows are drawn. */
const LEVELS: readonly { ratio: number; shadows: boolean }[] = [
  { ratio: 2, shadows: true },
  { ratio: 1, shadows: true },
  { ratio: 1, shadows: false },
  { ratio: 0.7, shadows: false },
];

/** Mean duration of a frame above which the quality is lowered, milliseconds. */
const SLOW_MS = 34;
/** Number of frames over which the mean is taken. */
const SAMPLE_FRAMES = 24;
/** Mean duration of a frame above which {@link SHORT_SAMPLE_FRAMES} frames suffice, milliseconds. */
const VERY_SLOW_MS = 90;
const SHORT_SAMPLE_FRAMES = 6;
/** Duration from which a frame counts only if the frame before it was as long, milliseconds. */
const LONG_MS = 1000;

/** Measures the durations of frames during movement, and chooses the level of quality. */
export class Quality {
  #level = 0;
  #last = 0;
  #wasLong = false;
  #sum = 0;
  #count = 0;
  #apply: (ratio: number, shadows: boolean) => void;

  constructor(apply: (ratio: number, shadows: boolean) => void) {
    this.#apply = apply;
    const { ratio, shadows } = this.#settings();
    apply(ratio, shadows);
  }

  /** Returns the pixel ratio and the shadows of the level on this screen. */
  #settings(): { ratio: number; shadows: boolean } {
    const { ratio, shadows } = LEVELS[this.#level];
    return { ratio: Math.min(ratio, window.devicePixelRatio || 1), shadows };
  }

  /** Pixel ratio of the level on the current screen: the browser's zoom and another screen change it. */
  get pixelRatio(): number {
    return this.#settings().ratio;
  }

  /** Lowers the level until the drawing changes: if the screen's pixel ratio is 1, the first two levels are equal. */
  #lower(): void {
    const previous = this.#settings();
    while (this.#level < LEVELS.length - 1) {
      this.#level++;
      const { ratio, shadows } = this.#settings();
      if (ratio !== previous.ratio || shadows !== previous.shadows) return this.#apply(ratio, shadows);
    }
  }

  /** Measures a frame. Must be called in every animation frame during movement. */
  tick(now: number): void {
    if (this.#last > 0) {
      const duration = now - this.#last;
      const isLong = duration >= LONG_MS;
      // A single long frame is a hidden tab or a long computation; on a very slow machine every frame is long.
      if (!isLong || this.#wasLong) {
        this.#sum += duration;
        this.#count++;
      }
      this.#wasLong = isLong;
    }
    this.#last = now;
    const isVerySlow = this.#count >= SHORT_SAMPLE_FRAMES && this.#sum / this.#count > VERY_SLOW_MS;
    if (this.#count < SAMPLE_FRAMES && !isVerySlow) return;
    if (this.#sum / this.#count > SLOW_MS) this.#lower();
    this.#sum = this.#count = 0;
  }

  /** Interrupts the measurement while nothing moves. */
  pause(): void {
    this.#last = 0;
    this.#wasLong = false;
  }
}
