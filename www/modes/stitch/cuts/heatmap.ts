/** Map of all cuts: rows are take-offs of the first clip, columns landings of the second; low scores are bright. */
import type { SeamMap } from "kinestitch/worker";
import { cellOf, type CutFrames } from "./cuts";

/**
 * Viridis: even steps of lightness, distinguishable with every kind of colour vision. Low scores are at its bright
 * end.
 */
const STOPS = ["fde725", "b5de2b", "6ece58", "35b779", "1f9e89", "26828e", "31688e", "3e4989", "482878", "440154"].map(
  (hex) => [0, 2, 4].map((digit) => parseInt(hex.slice(digit, digit + 2), 16)),
);
/** Scores above this quantile have the darkest colour. */
const DARKEST_QUANTILE = 0.9;

/** A cell of a map. */
export interface Cell {
  row: number;
  column: number;
}

/** A canvas with a map of cuts. */
export class Heatmap {
  readonly element = document.createElement("div");
  #canvas = document.createElement("canvas");
  /** The map with one pixel per cell, which is drawn enlarged. */
  #image = document.createElement("canvas");
  #map: SeamMap | undefined;
  #current: Cell | undefined;
  #cursor: Cell | undefined;
  #onCursor: () => void;
  #onUse: (cell: Cell) => void;

  constructor(onCursor: () => void, onUse: (cell: Cell) => void) {
    this.#onCursor = onCursor;
    this.#onUse = onUse;
    this.element.className = "heatmap";
    const canvas = this.#canvas;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Map of cuts. Arrow keys move the cursor, Enter cuts there.");
    canvas.setAttribute("aria-describedby", "cut-facts");
    this.element.append(canvas);
    canvas.addEventListener("pointermove", (event) => this.#setCursor(this.#cellAt(event)));
    canvas.addEventListener("pointerleave", () => this.#setCursor(undefined));
    canvas.addEventListener("click", (event) => {
      const cell = this.#cellAt(event);
      if (cell) this.#onUse(cell);
    });
    canvas.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The cell under the pointer, or chosen by arrow keys; `undefined` after another map is shown. */
  get cursor(): Cell | undefined {
    return this.#cursor;
  }

  /** Shows a map, with the current cut marked. */
  set(map: SeamMap, current: CutFrames): void {
    const cell = cellOf(map, current);
    const isUnchanged = this.#map === map && cell?.row === this.#current?.row && cell?.column === this.#current?.column;
    if (isUnchanged) return;
    if (this.#map !== map) {
      this.#map = map;
      this.#cursor = undefined;
      this.#paint(map);
    }
    this.#current = cell;
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
    const toPixels = ({ row, column }: Cell): [number, number] => [
      ((column + 0.5) / map.landings.length) * width,
      ((row + 0.5) / (map.takeoffs.to - map.takeoffs.from)) * height,
    ];
    if (this.#current) {
      const [x, y] = toPixels(this.#current);
      strokeOutlined(context, () => context.arc(x, y, 6, 0, 2 * Math.PI));
    }
    context.font = "700 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    map.best.forEach((cut, index) => {
      const cell = cellOf(map, cut);
      if (!cell) return;
      const [x, y] = toPixels(cell);
      context.fillStyle = "#fff";
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      context.fill();
      strokeOutlined(context, () => context.arc(x, y, 8, 0, 2 * Math.PI));
      context.fillStyle = "#111";
      context.fillText(String(index + 1), x, y + 0.5);
    });
    if (this.#cursor) {
      const [x, y] = toPixels(this.#cursor);
      strokeOutlined(context, () => {
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
    const high = Math.log(Math.max(1e-9, sorted[Math.floor((sorted.length - 1) * DARKEST_QUANTILE)] ?? 1));
    const pixels = new ImageData(width, height);
    map.scores.forEach((score, pixel) => {
      const fraction = high > low ? (Math.log(Math.max(1e-9, score)) - low) / (high - low) : 0;
      const position = Math.max(0, Math.min(0.9999, fraction)) * (STOPS.length - 1);
      const [from, to] = [STOPS[Math.floor(position)], STOPS[Math.floor(position) + 1]];
      for (let channel = 0; channel < 3; channel++) {
        pixels.data[pixel * 4 + channel] = from[channel] + (to[channel] - from[channel]) * (position % 1);
      }
      pixels.data[pixel * 4 + 3] = 255;
    });
    this.#image.getContext("2d")?.putImageData(pixels, 0, 0);
  }

  #cellAt(event: MouseEvent): Cell | undefined {
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
    const clampIndex = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
    return {
      row: clampIndex(row, map.takeoffs.to - map.takeoffs.from),
      column: clampIndex(column, map.landings.length),
    };
  }

  #setCursor(cell: Cell | undefined): void {
    this.#cursor = cell;
    this.draw();
    this.#onCursor();
  }

  #onKey(event: KeyboardEvent): void {
    // Shortcuts of the page and of the browser, such as Alt+Left.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    const from = this.#cursor ?? this.#current ?? { row: 0, column: 0 };
    if (step) {
      const distance = event.shiftKey ? 10 : 1;
      this.#setCursor(this.#clamp({ row: from.row + step[0] * distance, column: from.column + step[1] * distance }));
    } else if ((event.key === "Enter" || event.key === " ") && this.#cursor) this.#onUse(this.#cursor);
    else return;
    // These keys must not run commands of the page (frame steps, play).
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Strokes a path in white with a dark outline, which is visible on every colour. */
function strokeOutlined(context: CanvasRenderingContext2D, addPath: () => void): void {
  for (const [strokeStyle, lineWidth] of [
    ["rgb(0 0 0 / 75%)", 3.5],
    ["#fff", 1.5],
  ] as const) {
    Object.assign(context, { strokeStyle, lineWidth });
    context.beginPath();
    addPath();
    context.stroke();
  }
}
