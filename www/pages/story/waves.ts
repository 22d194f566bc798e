/** Waves around a time: each as a circle with a rotating hand, and its curve. */
import type { LivePhases } from "kinestitch";
import { appendSvg } from "./svg";

/** Number of values per wave: amplitude, frequency, phase, offset. */
const VALUES_PER_WAVE = 4;
/** Radius of a circle; start, width and height of the curve beside it; in units of the image. */
const [RADIUS, CURVE_LEFT, CURVE_WIDTH, HEIGHT] = [30, 76, 190, 68];
/**
 * Frame rate at which waves are computed; duration of the curve before and after the current time, seconds; length of
 * the trail, frames.
 */
const [FRAMES_PER_SECOND, SIDE_SECS, TRAIL_FRAMES] = [30, 1, 30];
const CURVE_SEGMENTS = 60;

interface Row {
  element: HTMLLIElement;
  hand: SVGElement;
  trail: SVGElement;
  curve: SVGElement;
  text: HTMLElement;
}

function createRow(list: HTMLElement, index: number): Row {
  const element = document.createElement("li");
  const svg = appendSvg(element, "svg", {
    viewBox: `0 0 ${CURVE_LEFT + CURVE_WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `Wave ${index + 1}: its phase, and one second before and after`,
  });
  const [x, y] = [RADIUS + 4, HEIGHT / 2];
  appendSvg(svg, "circle", { cx: x, cy: y, r: RADIUS, class: "dial" });
  appendSvg(svg, "line", {
    x1: CURVE_LEFT + CURVE_WIDTH / 2,
    x2: CURVE_LEFT + CURVE_WIDTH / 2,
    y1: 4,
    y2: HEIGHT - 4,
    class: "dial",
  });
  const [trail, curve, hand] = ["trail", "wave", "hand"].map((kind) => appendSvg(svg, "path", { class: kind })) as [
    SVGElement,
    SVGElement,
    SVGElement,
  ];
  const text = document.createElement("span");
  element.append(text);
  list.append(element);
  return { element, hand, trail, curve, text };
}

/** Images of all waves of a motion. */
export class Waves {
  readonly #phases: LivePhases;
  readonly #rows: Row[];
  /** Computed waves by frame, at {@link FRAMES_PER_SECOND}. */
  readonly #wavesByFrame = new Map<number, Float32Array>();
  /** Largest amplitude so far, for which the hand is as long as the radius. */
  #largestAmplitude = 0;

  constructor(list: HTMLElement, phases: LivePhases) {
    this.#phases = phases;
    list.replaceChildren();
    this.#rows = Array.from({ length: phases.channels }, (_, index) => createRow(list, index));
  }

  #wavesAt(frame: number): Float32Array {
    const cached = this.#wavesByFrame.get(frame);
    if (cached) return cached;
    const waves = new Float32Array(this.#phases.channels * VALUES_PER_WAVE);
    this.#phases.at(frame / FRAMES_PER_SECOND, waves);
    this.#wavesByFrame.set(frame, waves);
    for (let i = 0; i < waves.length; i += VALUES_PER_WAVE)
      this.#largestAmplitude = Math.max(this.#largestAmplitude, waves[i] ?? 0);
    return waves;
  }

  /** Returns an amplitude as a fraction of the largest one; 0 for a motion without waves. */
  #fraction(amplitude: number): number {
    return this.#largestAmplitude > 0 ? amplitude / this.#largestAmplitude : 0;
  }

  show(seconds: number): void {
    const frame = Math.round(seconds * FRAMES_PER_SECOND);
    const waves = this.#wavesAt(frame);
    this.#rows.forEach((row, index) => {
      const [amplitude = 0, frequency = 0, phase = 0] = waves.subarray(
        index * VALUES_PER_WAVE,
        (index + 1) * VALUES_PER_WAVE,
      );
      row.element.style.setProperty("--part", this.#fraction(amplitude).toFixed(2));
      row.hand.setAttribute("d", `M${RADIUS + 4} ${HEIGHT / 2}L${this.#handEnd(waves, index)}`);
      row.trail.setAttribute("d", this.#trailPath(frame, index));
      const points = Array.from({ length: CURVE_SEGMENTS + 1 }, (_, point) => {
        const time = ((2 * point) / CURVE_SEGMENTS - 1) * SIDE_SECS;
        const value = this.#fraction(amplitude) * Math.sin(2 * Math.PI * frequency * time + phase);
        return `${(CURVE_LEFT + (point / CURVE_SEGMENTS) * CURVE_WIDTH).toFixed(1)} ${(HEIGHT / 2 - value * RADIUS).toFixed(1)}`;
      });
      row.curve.setAttribute("d", `M${points.join("L")}`);
      row.text.textContent = `${frequency.toFixed(1)} Hz`;
    });
  }

  /** Returns the end of a wave's hand. It points to the right at phase 0, and turns counterclockwise. */
  #handEnd(waves: Float32Array, index: number): string {
    const [amplitude = 0, , phase = 0] = waves.subarray(index * VALUES_PER_WAVE, (index + 1) * VALUES_PER_WAVE);
    const handLength = RADIUS * this.#fraction(amplitude);
    const [x, y] = [RADIUS + 4 + handLength * Math.cos(phase), HEIGHT / 2 - handLength * Math.sin(phase)];
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  }

  /** Returns the path of the hand's end over the last second, as far as it was displayed without a jump. */
  #trailPath(frame: number, index: number): string {
    const ends: string[] = [];
    for (let pastFrame = frame; pastFrame > frame - TRAIL_FRAMES; pastFrame--) {
      const waves = this.#wavesByFrame.get(pastFrame);
      if (!waves) break;
      ends.push(this.#handEnd(waves, index));
    }
    return `M${ends.join("L")}`;
  }
}
