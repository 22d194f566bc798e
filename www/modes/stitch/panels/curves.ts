/** The panel of curves: foot speed and joint jerk, around a seam or of all frames. Dashed: the compared method. */
import { html } from "lit-html";
import { identityOf } from "../../../core/ids";
import type { Panel } from "../../../core/panel";
import { MotionPlots, type MotionTrace } from "../../../plot/motion-plots";
import { matchFrame } from "../match";
import { methodShort } from "../methods";
import { isCompared } from "../method-choice";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { PlotRange } from "./plot-range";

/** Returns the shown result, and the result that it is compared with, if any; nothing if no result is shown. */
function shownResults(mode: Stitch): StitchResult[] {
  const shown = mode.shownResult();
  if (!shown) return [];
  const { a, b } = mode.stitcher.jobs;
  const compared = !isCompared(mode) ? undefined : shown === a.result ? b.result : a.result;
  return compared ? [shown, compared] : [shown];
}

/**
 * Returns the curves of a result for the plots, one value for each frame of `shown`. Those of the compared result are
 * resampled, only within the plotted range.
 */
function traceOf(shown: StitchResult, result: StitchResult, { from, to }: { from: number; to: number }): MotionTrace {
  const matchFrames = (values: Float32Array): Float32Array => {
    if (result === shown || values.length === 0) return values;
    const resampled = new Float32Array(shown.motion.frames);
    for (let frame = Math.max(0, from); frame < Math.min(to, resampled.length); frame++)
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
    const [shown, compared] = shownResults(mode);
    if (!shown) return plots;
    const range = plotRange.range(shown);
    plots.set(
      `${identityOf(shown)} ${compared ? identityOf(compared) : 0}`,
      { ...range, seams: shown.seams.map(({ frame, editedRange }) => ({ frame, range: editedRange })) },
      () => [shown, compared].filter((result) => result !== undefined).map((result) => traceOf(shown, result, range)),
    );
    plots.setFrame(mode.clock.frame);
    return plots;
  };

  return {
    id: "curves",
    title: "Curves",
    region: "dock",
    view: () => {
      const [shown, compared] = shownResults(mode);
      if (!shown) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      return draw().view(
        plotRange.view(shown),
        shown.method === "rmr" ? "Changed by the network" : "Changed frames",
        compared && methodShort(compared.method),
      );
    },
    onFrame: () => {
      if (mode.app.settings.dock !== "curves") return;
      if (plotRange.shown === "near" && (mode.shownResult()?.seams.length ?? 0) > 1) draw();
      else plots?.setFrame(mode.clock.frame);
    },
  };
}
