/** Map of all cuts: rows are take-offs of the first clip, columns landings of the second; bright is cheap. */
import type { SeamMap } from "kinestitch/worker";
import { cellOf, type Place } from "./cuts";

/**
 * Viridis: even steps of lightness, distinguishable with every kind of colour vision. Cheap cuts are at its bright
 * end.
 */
const STOPS = ["fde725", "b5de2b", "6ece58", "35b779", "1f9e89", "26828e", "31688e", "3e4989", "482878", "440154"].map(
  (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)),
);
/** Costs above this quantile share the darkest colour. */
const DEAR = 0.9;

/** A cell of a map. */
export interface Cell {
  row: number;
  column: number;
}

/** A canvas with a map of cuts. */
export class Heatmap {
  readonly element = document.createElement("div");
  #canvas = document.createElement("canvas");
  #image = document.createElement("canvas");
  #map: SeamMap | undefined;
  #present: Cell | undefined;
  /** The cell under the pointer, or chosen by arrow keys. */
  #cursor: Cell | undefined;
  #onCursor: (spot: Cell | undefined) => void;
  #onUse: (spot: Cell) => void;

  constructor(onCursor: (spot: Cell | undefined) => void, onUse: (spot: Cell) => void) {
    this.#onCursor = onCursor;
    this.#onUse = onUse;
    this.element.className = "heatmap";
    const canvas = this.#canvas;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Map of cuts. Arrow keys move, Enter cuts there.");
    canvas.setAttribute("aria-describedby", "cut-facts");
    this.element.append(canvas);
    canvas.addEventListener("pointermove", (event) => this.#move(this.#spotAt(event)));
    canvas.addEventListener("pointerleave", () => this.#move(undefined));
    canvas.addEventListener("click", (event) => {
      const spot = this.#spotAt(event);
      if (spot) this.#onUse(spot);
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows a map, with the present cut marked. */
  set(map: SeamMap, present: Place): void {
    const spot = cellOf(map, present);
    const same = this.#map === map && spot?.row === this.#present?.row && spot?.column === this.#present?.column;
    if (same) return;
    if (this.#map !== map) {
      this.#map = map;
      this.#cursor = undefined;
      this.#paint(map);
    }
    this.#present = spot;
    this.draw();
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const map = this.#map;
    if (!map || width < 2 || height < 2) return;
    const scale = devicePixelRatio;
    Object.assign(this.#canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#image, 0, 0, width, height);
    const at = ({ row, column }: Cell): [number, number] => [
      ((column + 0.5) / map.landings.length) * width,
      ((row + 0.5) / (map.takeoffs.to - map.takeoffs.from)) * height,
    ];
    // Dark under light, so that marks are visible on every colour.
    const twice = (draw: () => void): void => {
      for (const [color, wide] of [
        ["rgb(0 0 0 / 75%)", 3.5],
        ["#fff", 1.5],
      ] as const) {
        Object.assign(context, { strokeStyle: color, lineWidth: wide });
        context.beginPath();
        draw();
        context.stroke();
      }
    };
    if (this.#present) {
      const [x, y] = at(this.#present);
      twice(() => context.arc(x, y, 6, 0, 2 * Math.PI));
    }
    context.font = "700 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    map.best.forEach((cut, index) => {
      const spot = cellOf(map, cut);
      if (!spot) return;
      const [x, y] = at(spot);
      context.fillStyle = "#fff";
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      context.fill();
      twice(() => context.arc(x, y, 8, 0, 2 * Math.PI));
      context.fillStyle = "#111";
      context.fillText(String(index + 1), x, y + 0.5);
    });
    if (this.#cursor) {
      const [x, y] = at(this.#cursor);
      twice(() => {
        for (const [dx, dy] of [
          [1, 0],
          [-1, 0],
          [0, 1],
          [0, -1],
        ] as const) {
          context.moveTo(x + dx * 4, y + dy * 4);
          context.lineTo(x + dx * 14, y + dy * 14);
        }
      });
    }
  }

  #paint(map: SeamMap): void {
    const [width, height] = [map.landings.length, map.takeoffs.to - map.takeoffs.from];
    Object.assign(this.#image, { width, height });
    const sorted = Float32Array.from(map.scores).sort();
    const low = Math.log(Math.max(1e-9, sorted[0] ?? 1));
    const high = Math.log(Math.max(1e-9, sorted[Math.floor((sorted.length - 1) * DEAR)] ?? 1));
    const pixels = new ImageData(width, height);
    map.scores.forEach((score, cell) => {
      const part = high > low ? (Math.log(Math.max(1e-9, score)) - low) / (high - low) : 0;
      const at = Math.max(0, Math.min(0.9999, part)) * (STOPS.length - 1);
      const [from, to] = [STOPS[Math.floor(at)], STOPS[Math.floor(at) + 1]];
      for (let channel = 0; channel < 3; channel++) {
        pixels.data[cell * 4 + channel] = from[channel] + (to[channel] - from[channel]) * (at % 1);
      }
      pixels.data[cell * 4 + 3] = 255;
    });
    this.#image.getContext("2d")?.putImageData(pixels, 0, 0);
  }

  #spotAt(event: MouseEvent): Cell | undefined {
    if (!this.#map) return undefined;
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return this.#clamp({
      row: Math.floor(((event.clientY - top) / height) * (this.#map.takeoffs.to - this.#map.takeoffs.from)),
      column: Math.floor(((event.clientX - left) / width) * this.#map.landings.length),
    });
  }

  #clamp({ row, column }: Cell): Cell | undefined {
    const map = this.#map;
    if (!map) return undefined;
    const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
    return { row: within(row, map.takeoffs.to - map.takeoffs.from), column: within(column, map.landings.length) };
  }

  #move(spot: Cell | undefined): void {
    this.#cursor = spot;
    this.draw();
    this.#onCursor(spot);
  }

  #key(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    const from = this.#cursor ?? this.#present ?? { row: 0, column: 0 };
    if (step) {
      const far = event.shiftKey ? 10 : 1;
      this.#move(this.#clamp({ row: from.row + step[0] * far, column: from.column + step[1] * far }));
    } else if ((event.key === "Enter" || event.key === " ") && this.#cursor) this.#onUse(this.#cursor);
    else return;
    // Keeps these keys from the page's own commands (frame steps, play).
    event.preventDefault();
    event.stopPropagation();
  }
}
