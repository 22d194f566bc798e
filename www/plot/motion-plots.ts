/** Plots of foot speed and joint jerk of a motion; dashed lines show a second motion for comparison. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ClipCurves } from "kinestitch/worker";
import { inks, themeKey } from "./inks";
import { Plot, type Line, type PlotData } from "./plot";

/** Shown in place of the foot speed of a motion without known feet. */
const NO_FEET = "Not measured: this body has no two legs with known feet. Foot speed is measured for people only.";

/** The curves of one motion: a value for each frame of the plotted motion. */
export interface MotionTrace {
  name: string;
  curves: Pick<ClipCurves, "footSpeed" | "jerk">;
  /** Whether the lines are dashed: true for the motion to compare with. */
  dashed: boolean;
}

/** Two plots over frames: foot speed and the largest joint jerk. Clicking or dragging calls `seek` with the frame. */
export class MotionPlots {
  #speed: Plot;
  #jerk: Plot;
  /** Whether a drawn motion has foot speeds: false if the feet are not known, as of animals. */
  #hasFeet = true;
  /** Key, range and theme of the drawn data. */
  #drawnKey = "";

  constructor(seek: (frame: number) => void) {
    this.#speed = new Plot("Foot speed over frames", "m/s", seek);
    this.#jerk = new Plot("Largest joint jerk over frames", "m/s³", seek);
  }

  /**
   * Draws the curves that `getTraces` returns. Does nothing if the data of this `key` is already drawn in the same range
   * and theme.
   */
  set(key: string, data: Omit<PlotData, "lines">, getTraces: () => MotionTrace[]): void {
    const drawnKey = [key, data.from, data.to, themeKey()].join();
    if (this.#drawnKey === drawnKey) return;
    this.#drawnKey = drawnKey;
    const colors = inks();
    const traces = getTraces();
    this.#hasFeet = traces.some(({ curves }) => curves.footSpeed.some((speeds) => speeds.length > 0));
    const line = (
      label: string,
      { name, dashed }: MotionTrace,
      color: string,
      values: Float32Array | undefined,
    ): Line[] => (values?.length ? [{ label: `${label} ${name}`, values, color, dashed }] : []);
    this.#speed.set(
      {
        ...data,
        lines: traces.flatMap((motion) => [
          ...line("Left", motion, colors.left, motion.curves.footSpeed[0]),
          ...line("Right", motion, colors.right, motion.curves.footSpeed[1]),
        ]),
      },
      colors,
    );
    this.#jerk.set(
      { ...data, lines: traces.flatMap((motion) => line("Jerk", motion, colors.jerk, motion.curves.jerk)) },
      colors,
    );
  }

  /** Moves the playheads. */
  setFrame(frame: number): void {
    this.#speed.setFrame(frame);
    this.#jerk.setFrame(frame);
  }

  /**
   * Renders both plots below a legend. `rangeChoice`: control before the legend. `band`: label of the shaded frames.
   * `other`: name of the motion with dashed lines.
   */
  view(rangeChoice: unknown, band: string, other: string | undefined): TemplateResult {
    return html`<div class="curves">
      <div class="curve-head">
        ${rangeChoice}
        ${
          this.#hasFeet
            ? html`<span class="key"><i class="swatch left"></i>Left foot</span>
              <span class="key"><i class="swatch right"></i>Right foot</span>`
            : nothing
        }
        <span class="key"><i class="swatch jerk"></i>Jerk</span>
        <span class="key"><i class="swatch band"></i>${band}</span>
        ${other ? html`<span class="key"><i class="swatch dashed"></i>${other}</span>` : ""}
      </div>
      <figure><figcaption>Foot speed</figcaption>${this.#hasFeet ? this.#speed.element : html`<p class="quiet">${NO_FEET}</p>`}</figure>
      <figure><figcaption>Joint jerk</figcaption>${this.#jerk.element}</figure>
    </div>`;
  }
}
