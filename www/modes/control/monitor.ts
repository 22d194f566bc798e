/** Phases and contacts of the limbs over the last seconds: a dial, and the plot of Figure 5 in real time. */
import type { Controller } from "kinestitch/worker";

/** Seconds shown, and columns for them. */
const [SECS, COLUMNS] = [5, 300];
/** Pixels: the names, a row with its gap, the dial, the legend. */
const [NAMES, ROW, GAP, DIAL, LEGEND] = [104, 34, 6, 30, 20];

interface Inks {
  text: string;
  contact: string;
  bars: string;
  line: string;
}

/** The contact points at a limb's joint, or behind it. */
function pointsOf({ skeleton, contactPoints }: Controller, limb: string): number[] {
  const within = (joint: number): boolean =>
    joint >= 0 && (skeleton[joint].name === limb || within(skeleton[joint].parent));
  return contactPoints.flatMap((point, i) => (within(skeleton.findIndex(({ name }) => name === point)) ? [i] : []));
}

/** A canvas with the phases and contacts of a character. */
export class Monitor {
  readonly canvas = document.createElement("canvas");
  #controller: Controller | undefined;
  /** Contact points of each limb. */
  #points: number[][] = [];
  /** Per limb and column: contact, phase 0 to 1, amplitude. */
  #past: Float32Array[] = [];
  #at = 0;
  #since = 0;
  #loudest = 1e-3;
  #names: string[] = [];
  #inks: { scheme: string; inks: Inks } | undefined;

  constructor() {
    this.canvas.className = "monitor";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Phase and contact of each limb, the last five seconds");
  }

  /** Switches to another character. */
  watch(controller: Controller): void {
    this.#controller = controller;
    this.#points = controller.limbs.map((limb) => pointsOf(controller, limb));
    this.#past = controller.limbs.map(() => new Float32Array(COLUMNS * 3));
    this.#at = 0;
    this.#loudest = 1e-3;
    // "LeftForePaw" becomes words for display.
    this.#names = controller.limbs.map((limb) => limb.replace(/([a-z])([A-Z])/g, "$1 $2"));
    this.canvas.style.height = `${controller.limbs.length * (ROW + GAP) + LEGEND}px`;
  }

  /** Adds the result of the last step. */
  push(seconds: number): void {
    const { phases } = this.#controller ?? {};
    this.#since += seconds;
    const columns = Math.min(COLUMNS, Math.floor((this.#since * COLUMNS) / SECS));
    if (!phases || columns === 0) return;
    this.#since -= (columns * SECS) / COLUMNS;
    this.#loudest *= 0.999;
    this.#past.forEach((past, limb) => {
      const [sin = 0, cos = 0] = phases.subarray(limb * 2, limb * 2 + 2);
      const amplitude = Math.hypot(sin, cos);
      this.#loudest = Math.max(this.#loudest, amplitude);
      const phase = (Math.atan2(sin, cos) / (2 * Math.PI) + 1) % 1;
      for (let i = 0; i < columns; i++)
        past.set([this.#contact(limb), phase, amplitude], ((this.#at + i) % COLUMNS) * 3);
    });
    this.#at = (this.#at + columns) % COLUMNS;
  }

  /** Probability that any part of a limb touches. */
  #contact(limb: number): number {
    return Math.max(0, ...(this.#points[limb] ?? []).map((point) => this.#controller?.contacts[point] ?? 0));
  }

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
    const left = NAMES + DIAL + 10;
    const column = (width - left) / COLUMNS;
    brush.font = "12px system-ui, sans-serif";
    brush.textBaseline = "middle";
    this.#names.forEach((name, row) => {
      const top = row * (ROW + GAP) + 2;
      brush.globalAlpha = 1;
      brush.fillStyle = inks.text;
      brush.textAlign = "right";
      brush.fillText(name, NAMES - 8, top + ROW / 2, NAMES - 12);
      this.#dial(brush, inks, row, NAMES + DIAL / 2, top + ROW / 2);
      const past = this.#past[row];
      for (let i = 0; i < COLUMNS; i++) {
        const [contact = 0, phase = 0, amplitude = 0] = past.subarray(
          ((this.#at + i) % COLUMNS) * 3,
          ((this.#at + i) % COLUMNS) * 3 + 3,
        );
        const x = left + i * column;
        brush.globalAlpha = contact;
        brush.fillStyle = inks.contact;
        brush.fillRect(x, top, column + 0.5, 12);
        brush.globalAlpha = Math.min(1, amplitude / this.#loudest);
        brush.fillStyle = inks.bars;
        brush.fillRect(x, top + ROW - phase * (ROW - 15), column + 0.5, phase * (ROW - 15));
      }
    });
    brush.globalAlpha = 1;
    this.#legend(brush, inks, left, width, this.#names.length * (ROW + GAP) + LEGEND / 2);
  }

  /** Legend and time axis. */
  #legend(brush: CanvasRenderingContext2D, inks: Inks, left: number, right: number, y: number): void {
    let x = left;
    brush.textAlign = "left";
    const texts =
      right - left > 420
        ? ["on the ground", "phase: a cycle from bottom to top", `${SECS} s ago to now`]
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

  /** The phase vector of a limb; highlighted during contact. */
  #dial(brush: CanvasRenderingContext2D, inks: Inks, limb: number, x: number, y: number): void {
    const { phases } = this.#controller ?? {};
    const [sin = 0, cos = 0] = phases?.subarray(limb * 2, limb * 2 + 2) ?? [];
    const radius = DIAL / 2 - 2;
    brush.beginPath();
    brush.arc(x, y, radius, 0, 2 * Math.PI);
    brush.globalAlpha = this.#contact(limb);
    brush.fillStyle = inks.contact;
    brush.fill();
    brush.globalAlpha = 1;
    brush.strokeStyle = inks.line;
    brush.stroke();
    brush.beginPath();
    brush.moveTo(x, y);
    const length = (radius / this.#loudest) * Math.min(1, this.#loudest / Math.max(1e-6, Math.hypot(sin, cos)));
    brush.lineTo(x + sin * length, y - cos * length);
    brush.strokeStyle = inks.bars;
    brush.lineWidth = 2.5;
    brush.stroke();
    brush.lineWidth = 1;
  }

  #colors(): Inks {
    const { colorScheme } = getComputedStyle(document.documentElement);
    const scheme = `${colorScheme} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
    if (this.#inks?.scheme === scheme) return this.#inks.inks;
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
    this.#inks = { scheme, inks };
    return inks;
  }
}
