/**
 * Foot speed and joint jerk over time, around a seam or over everything; those of the compared method as dashed
 * lines.
 */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import { MotionPlots, type Traced } from "../../../plot/motion-plots";
import { matchFrame } from "../match";
import { methodShort } from "../methods";
import { isCompared } from "../method-choice";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { Part } from "./plot-range";

const ids = new WeakMap<StitchResult, number>();
let serial = 0;
function resultId(result: StitchResult | undefined): number {
  if (!result) return 0;
  const known = ids.get(result) ?? ++serial;
  ids.set(result, known);
  return known;
}

/** The shown result, and the one it is compared with. */
function results(mode: Stitch): StitchResult[] {
  const shown = mode.shownResult();
  const { a, b } = mode.stitcher.jobs;
  const other = !isCompared(mode) ? undefined : shown === a.result ? b.result : a.result;
  return [shown, other].filter((result) => result !== undefined);
}

/** The curves of a result, and the curves of the compared result at corresponding frames of the range. */
function traced(a: StitchResult, result: StitchResult, { from, to }: { from: number; to: number }): Traced {
  const matched = (values: Float32Array): Float32Array => {
    if (result === a || values.length === 0) return values;
    const found = new Float32Array(a.motion.frames);
    for (let frame = Math.max(0, from); frame <= Math.min(to, found.length - 1); frame++)
      found[frame] = values[Math.round(matchFrame(a, result, frame))] ?? 0;
    return found;
  };
  const {
    footSpeed: [left, right],
    jerk,
  } = result.motion.curves;
  return {
    name: methodShort(result.method),
    curves: { footSpeed: [matched(left), matched(right)], jerk: matched(jerk) },
    dashed: result !== a,
  };
}

/** The panel of the curves. */
export function curves(mode: Stitch): Panel {
  let plots: MotionPlots | undefined;
  const part = new Part(mode, "near");

  const draw = (): MotionPlots => {
    plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
    const [a, b] = results(mode);
    if (!a) return plots;
    const range = part.range(a);
    plots.set(
      `${resultId(a)} ${resultId(b)}`,
      { ...range, seams: a.seams.map(({ frame, editedRange }) => ({ frame, range: editedRange })) },
      () => [a, b].filter((result) => result !== undefined).map((result) => traced(a, result, range)),
    );
    plots.setFrame(mode.clock.frame);
    return plots;
  };

  return {
    id: "curves",
    title: "Curves",
    region: "dock",
    view: () => {
      const [a, b] = results(mode);
      if (!a) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      return draw().view(
        part.view(a),
        a.method === "rmr" ? "Changed by the network" : "Blend",
        b && methodShort(b.method),
      );
    },
    onFrame: () => {
      if (part.shown === "near" && (mode.shownResult()?.seams.length ?? 0) > 1) draw();
      else plots?.setFrame(mode.clock.frame);
    },
  };
}
