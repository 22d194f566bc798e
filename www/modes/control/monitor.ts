/** Plots phases and contacts of the limbs over the last seconds, with a dial of each current phase. */
import type { Controller } from "kinestitch/worker";
import { themeKey } from "../../plot/inks";

/** Displayed time span, seconds, and number of columns into which it is divided. */
const [SHOWN_SECS, COLUMNS] = [5, 300];
/** Width of the names, height of a limb's row and space below it, diameter of a dial, height of the legend, pixels. */
const [NAME_WIDTH, ROW, ROW_GAP, DIAL, LEGEND] = [104, 34, 6, 30, 20];

/** Colours of the monitor. */
interface Inks {
  text: string;
  contact: string;
  bars: string;
  line: string;
}

/** Returns the indices of the contact points at the joint of a limb or below it in the hierarchy. */
function contactPointsOf({ skeleton, contactPoints }: Controller, limb: string): number[] {
  const isInLimb = (joint: number): boolean =>
    joint >= 0 && (skeleton[joint].name === limb || isInLimb(skeleton[joint].parent));
  return contactPoints.flatMap((point, i) => (isInLimb(skeleton.findIndex(({ name }) => name === point)) ? [i] : []));
}

/** A canvas with the phases and contacts of a character. */
export class Monitor {
  readonly canvas = document.createElement("canvas");
  #controller: Controller | undefined;
  /** Indices of the contact points of each limb. */
  #points: number[][] = [];
  /** Per limb and column: contact, phase 0 to 1, amplitude. */
  #history: Float32Array[] = [];
  /** Oldest column, which is overwritten next. */
  #nextColumn = 0;
  /** Time that is not yet in the history, seconds. */
  #pendingSecs = 0;
  /** Largest recent amplitude, which scales the drawing; decays slowly. */
  #maxAmplitude = 1e-3;
  #names: string[] = [];
  #inks: { theme: string; inks: Inks } | undefined;

  constructor() {
    this.canvas.className = "monitor";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Phase and contact of each limb, the last five seconds");
  }

  /** Switches to another character. */
  watch(controller: Controller): void {
    this.#controller = controller;
    this.#points = controller.limbs.map((limb) => contactPointsOf(controller, limb));
    this.#history = controller.limbs.map(() => new Float32Array(COLUMNS * 3));
    this.#nextColumn = 0;
    this.#pendingSecs = 0;
    this.#maxAmplitude = 1e-3;
    // "LeftForePaw" becomes words for display.
    this.#names = controller.limbs.map((limb) => limb.replace(/([a-z])([A-Z])/g, "$1 $2"));
    this.canvas.style.height = `${controller.limbs.length * (ROW + ROW_GAP) + LEGEND}px`;
  }

  /** Adds the phases and contacts after a step of `seconds`. */
  push(seconds: number): void {
    const { phases } = this.#controller ?? {};
    this.#pendingSecs += seconds;
    const columns = Math.min(COLUMNS, Math.floor((this.#pendingSecs * COLUMNS) / SHOWN_SECS));
    if (!phases || columns === 0) return;
    this.#pendingSecs -= (columns * SHOWN_SECS) / COLUMNS;
    this.#maxAmplitude *= 0.999;
    this.#history.forEach((history, limb) => {
      const [sin = 0, cos = 0] = phases.subarray(limb * 2, limb * 2 + 2);
      const amplitude = Math.hypot(sin, cos);
      this.#maxAmplitude = Math.max(this.#maxAmplitude, amplitude);
      const phase = (Math.atan2(sin, cos) / (2 * Math.PI) + 1) % 1;
      for (let i = 0; i < columns; i++)
        history.set([this.#contactOf(limb), phase, amplitude], ((this.#nextColumn + i) % COLUMNS) * 3);
    });
    this.#nextColumn = (this.#nextColumn + columns) % COLUMNS;
  }

  /** Returns the largest contact probability of the contact points of a limb. */
  #contactOf(limb: number): number {
    return Math.max(0, ...(this.#points[limb] ?? []).map((point) => this.#controller?.contacts[point] ?? 0));
  }

  /** Draws a row per limb: name, dial, and over time a stripe for contact above bars for the phase. */
  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const brush = this.canvas.getContext("2d");
    const controller = this.#controller;
    if (!brush || !controller || width < 200 || height < 10) return;
    const scale = devicePixelRatio;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.clearRect(0, 0, width, height);
    const inks = this.#colors();
    const left = NAME_WIDTH + DIAL + 10;
    const column = (width - left) / COLUMNS;
    brush.font = "12px system-ui, sans-serif";
    brush.textBaseline = "middle";
    this.#names.forEach((name, row) => {
      const top = row * (ROW + ROW_GAP) + 2;
      brush.globalAlpha = 1;
      brush.fillStyle = inks.text;
      brush.textAlign = "right";
      brush.fillText(name, NAME_WIDTH - 8, top + ROW / 2, NAME_WIDTH - 12);
      this.#dial(brush, inks, row, NAME_WIDTH + DIAL / 2, top + ROW / 2);
      const history = this.#history[row];
      for (let i = 0; i < COLUMNS; i++) {
        const [contact = 0, phase = 0, amplitude = 0] = history.subarray(
          ((this.#nextColumn + i) % COLUMNS) * 3,
          ((this.#nextColumn + i) % COLUMNS) * 3 + 3,
        );
        const x = left + i * column;
        brush.globalAlpha = contact;
        brush.fillStyle = inks.contact;
        brush.fillRect(x, top, column + 0.5, 12);
        brush.globalAlpha = Math.min(1, amplitude / this.#maxAmplitude);
        brush.fillStyle = inks.bars;
        brush.fillRect(x, top + ROW - phase * (ROW - 15), column + 0.5, phase * (ROW - 15));
      }
    });
    brush.globalAlpha = 1;
    this.#legend(brush, inks, left, width, this.#names.length * (ROW + ROW_GAP) + LEGEND / 2);
  }

  /** Draws the legend and the time span. */
  #legend(brush: CanvasRenderingContext2D, inks: Inks, left: number, right: number, y: number): void {
    let x = left;
    brush.textAlign = "left";
    const texts =
      right - left > 420
        ? ["on the ground", "phase: one cycle from bottom to top", `${SHOWN_SECS} s ago to now`]
        : ["on the ground", "phase"];
    [inks.contact, inks.bars, undefined].slice(0, texts.length).forEach((ink, i) => {
      if (ink) {
        brush.fillStyle = ink;
        brush.fillRect(x, y - 4, 8, 8);
        x += 13;
      }
      brush.fillStyle = inks.text;
      brush.fillText(texts[i] ?? "", x, y);
      x += brush.measureText(texts[i] ?? "").width + 18;
    });
  }

  /** Draws a dial with the phase vector of a limb; the dial is filled during contact. */
  #dial(brush: CanvasRenderingContext2D, inks: Inks, limb: number, x: number, y: number): void {
    const { phases } = this.#controller ?? {};
    const [sin = 0, cos = 0] = phases?.subarray(limb * 2, limb * 2 + 2) ?? [];
    const radius = DIAL / 2 - 2;
    brush.beginPath();
    brush.arc(x, y, radius, 0, 2 * Math.PI);
    brush.globalAlpha = this.#contactOf(limb);
    brush.fillStyle = inks.contact;
    brush.fill();
    brush.globalAlpha = 1;
    brush.strokeStyle = inks.line;
    brush.stroke();
    brush.beginPath();
    brush.moveTo(x, y);
    const length =
      (radius / this.#maxAmplitude) * Math.min(1, this.#maxAmplitude / Math.max(1e-6, Math.hypot(sin, cos)));
    brush.lineTo(x + sin * length, y - cos * length);
    brush.strokeStyle = inks.bars;
    brush.lineWidth = 2.5;
    brush.stroke();
    brush.lineWidth = 1;
  }

  /** Returns the colours of the current theme. */
  #colors(): Inks {
    const theme = themeKey();
    if (this.#inks?.theme === theme) return this.#inks.inks;
    const probe = document.createElement("span");
    document.body.append(probe);
    const color = (name: string): string => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const inks = {
      text: color("--text-2"),
      contact: color("--contact"),
      bars: color("--phase-bars"),
      line: color("--line-2"),
    };
    probe.remove();
    this.#inks = { theme, inks };
    return inks;
  }
}
