/** Waves around a time: each as a circle with a rotating hand, and its curve. */
import type { LivePhases } from "kinestitch";

const SVG = "http://www.w3.org/2000/svg";
/** Numbers of a wave: amplitude, frequency, phase, offset. */
const WAVE = 4;
/** Sizes of a circle and the curve beside it, in units of the picture. */
const [RADIUS, LEFT, WIDTH, HEIGHT] = [30, 76, 190, 68];
/** Steps per second; reach of the curve to each side, seconds; length of the trail, frames. */
const [RATE, REACH, TRAIL] = [30, 1, 30];
const POINTS = 60;

interface Row {
  element: HTMLLIElement;
  hand: SVGElement;
  trail: SVGElement;
  curve: SVGElement;
  text: HTMLElement;
}

function make(parent: Element, name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}

function rowOf(list: HTMLElement, index: number): Row {
  const element = document.createElement("li");
  const svg = make(element, "svg", {
    viewBox: `0 0 ${LEFT + WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `Wave ${index + 1}: its phase, and a second to each side`,
  });
  const [x, y] = [RADIUS + 4, HEIGHT / 2];
  make(svg, "circle", { cx: x, cy: y, r: RADIUS, class: "dial" });
  make(svg, "line", { x1: LEFT + WIDTH / 2, x2: LEFT + WIDTH / 2, y1: 4, y2: HEIGHT - 4, class: "dial" });
  const [trail, curve, hand] = ["trail", "wave", "hand"].map((kind) => make(svg, "path", { class: kind })) as [
    SVGElement,
    SVGElement,
    SVGElement,
  ];
  const text = document.createElement("span");
  element.append(text);
  list.append(element);
  return { element, hand, trail, curve, text };
}

/** Pictures of all waves of a motion. */
export class Waves {
  readonly #phases: LivePhases;
  readonly #rows: Row[];
  /** Waves of the requested frames, thirty a second. */
  readonly #known = new Map<number, Float32Array>();
  /** Largest amplitude so far: a hand of that length reaches the dial. */
  #highest = 0;

  constructor(list: HTMLElement, phases: LivePhases) {
    this.#phases = phases;
    list.replaceChildren();
    this.#rows = Array.from({ length: phases.channels }, (_, index) => rowOf(list, index));
  }

  #at(frame: number): Float32Array {
    const known = this.#known.get(frame);
    if (known) return known;
    const waves = new Float32Array(this.#phases.channels * WAVE);
    this.#phases.at(frame / RATE, waves);
    this.#known.set(frame, waves);
    for (let at = 0; at < waves.length; at += WAVE) this.#highest = Math.max(this.#highest, waves[at] ?? 0);
    return waves;
  }

  show(seconds: number): void {
    const frame = Math.round(seconds * RATE);
    const waves = this.#at(frame);
    this.#rows.forEach((row, index) => {
      const [amplitude = 0, frequency = 0, phase = 0] = waves.subarray(index * WAVE, (index + 1) * WAVE);
      row.element.style.setProperty("--part", (amplitude / this.#highest).toFixed(2));
      row.hand.setAttribute("d", `M${RADIUS + 4} ${HEIGHT / 2}L${this.#end(waves, index)}`);
      row.trail.setAttribute("d", this.#trail(frame, index));
      const points = Array.from({ length: POINTS + 1 }, (_, point) => {
        const time = ((2 * point) / POINTS - 1) * REACH;
        const value = (amplitude / this.#highest) * Math.sin(2 * Math.PI * frequency * time + phase);
        return `${(LEFT + (point / POINTS) * WIDTH).toFixed(1)} ${(HEIGHT / 2 - value * RADIUS).toFixed(1)}`;
      });
      row.curve.setAttribute("d", `M${points.join("L")}`);
      row.text.textContent = `${frequency.toFixed(1)} Hz`;
    });
  }

  /** End of a wave's hand: to the right at phase 0, upwards a quarter of a turn later. */
  #end(waves: Float32Array, index: number): string {
    const [amplitude = 0, , phase = 0] = waves.subarray(index * WAVE, (index + 1) * WAVE);
    const long = (RADIUS * amplitude) / this.#highest;
    return `${(RADIUS + 4 + long * Math.cos(phase)).toFixed(1)} ${(HEIGHT / 2 - long * Math.sin(phase)).toFixed(1)}`;
  }

  /** The last second, as far as it was shown. */
  #trail(frame: number, index: number): string {
    const ends: string[] = [];
    for (let before = frame; before > frame - TRAIL; before--) {
      const waves = this.#known.get(before);
      if (!waves) break;
      ends.push(this.#end(waves, index));
    }
    return `M${ends.join("L")}`;
  }
}
