/** The panel of curves: foot speed and joint jerk, around a seam or of all frames. Dashed: the compared method. */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import { MotionPlots, type MotionTrace } from "../../../plot/motion-plots";
import { matchFrame } from "../match";
import { methodShort } from "../methods";
import { isCompared } from "../method-choice";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { PlotRange } from "./plot-range";

const ids = new WeakMap<StitchResult, number>();
let serial = 0;
function resultId(result: StitchResult | undefined): number {
  if (!result) return 0;
  const id = ids.get(result) ?? ++serial;
  ids.set(result, id);
  return id;
}

/** Returns the shown result, and the result that it is compared with. */
function shownResults(mode: Stitch): StitchResult[] {
  const shown = mode.shownResult();
  const { a, b } = mode.stitcher.jobs;
  const compared = !isCompared(mode) ? undefined : shown === a.result ? b.result : a.result;
  return [shown, compared].filter((result) => result !== undefined);
}

/** Returns the curves of a result for the plots. Those of the compared result are resampled to the frames of `shown`. */
function traceOf(shown: StitchResult, result: StitchResult, { from, to }: { from: number; to: number }): MotionTrace {
  const matchFrames = (values: Float32Array): Float32Array => {
    if (result === shown || values.length === 0) return values;
    const resampled = new Float32Array(shown.motion.frames);
    for (let frame = Math.max(0, from); frame <= Math.min(to, resampled.length - 1); frame++)
      resampled[frame] = values[Math.round(matchFrame(shown, result, frame))] ?? 0;
    return resampled;
  };
  const {
    footSpeed: [left, right],
    jerk,
  } = result.motion.curves;
  return {
    name: methodShort(result.method),
    curves: { footSpeed: [matchFrames(left), matchFrames(right)], jerk: matchFrames(jerk) },
    dashed: result !== shown,
  };
}

/** Creates the panel of the curves. */
export function curvesPanel(mode: Stitch): Panel {
  let plots: MotionPlots | undefined;
  const plotRange = new PlotRange(mode, "near");

  const draw = (): MotionPlots => {
    plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
    const [a, b] = shownResults(mode);
    if (!a) return plots;
    const range = plotRange.range(a);
    plots.set(
      `${resultId(a)} ${resultId(b)}`,
      { ...range, seams: a.seams.map(({ frame, editedRange }) => ({ frame, range: editedRange })) },
      () => [a, b].filter((result) => result !== undefined).map((result) => traceOf(a, result, range)),
    );
    plots.setFrame(mode.clock.frame);
    return plots;
  };

  return {
    id: "curves",
    title: "Curves",
    region: "dock",
    view: () => {
      const [a, b] = shownResults(mode);
      if (!a) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      return draw().view(
        plotRange.view(a),
        a.method === "rmr" ? "Changed by the network" : "Blend",
        b && methodShort(b.method),
      );
    },
    onFrame: () => {
      if (plotRange.shown === "near" && (mode.shownResult()?.seams.length ?? 0) > 1) draw();
      else plots?.setFrame(mode.clock.frame);
    },
  };
}
