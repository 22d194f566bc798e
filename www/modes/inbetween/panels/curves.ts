/**
 * The panel of curves: foot speed and joint jerk of the shown motion. Dashed, for comparison: the motion by linear
 * interpolation, or, while that is shown, the motion by the chosen method.
 */
import { html, nothing } from "lit-html";
import { identityOf } from "../../../core/ids";
import type { Panel } from "../../../core/panel";
import { MotionPlots } from "../../../plot/motion-plots";
import type { Document } from "../document";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";
import type { SolvedMotion } from "../solver";

/** Returns a text of the fields of a document on which every motion depends, whatever the method. */
const taskOf = ({ keys, gaps, footLock }: Document): string => JSON.stringify([keys, gaps, footLock]);

/**
 * Returns the motion to compare with; none if it is by the same method, or still that of another document, because one
 * method is slower than the other.
 */
function comparedWith(shown: SolvedMotion, { result, plain }: Inbetween): SolvedMotion | undefined {
  const other = shown === plain.solved ? result.solved : plain.solved;
  if (!other || other.method === shown.method || taskOf(other.document) !== taskOf(shown.document)) return undefined;
  return other;
}

/** Returns the text in place of the curves while there is no motion. */
function emptyText({ result: { busy, problem } }: Inbetween): string {
  if (problem) return "There are no curves, because the motion could not be generated.";
  return busy ? "Generating the motion…" : "Foot speed and joint jerk appear here.";
}

/** Creates the panel of the curves. */
export function curvesPanel(mode: Inbetween): Panel {
  let plots: MotionPlots | undefined;
  return {
    id: "between-curves",
    title: "Curves",
    region: "dock",
    view: () => {
      const { solved: shown } = mode;
      if (!shown) return html`<p class="quiet">${emptyText(mode)}</p>`;
      plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
      const compared = comparedWith(shown, mode);
      const motions = compared ? [shown, compared] : [shown];
      const gapMarks = shown.clip.gaps.map(({ range }) => ({ frame: range.from, range }));
      // During a drag, motions have the curves of the motion before it; after it, the same motion has its own curves.
      const key = motions.map((solved) => `${solved.key} ${identityOf(solved.motion.curves)}`).join();
      plots.set(key, { from: 0, to: shown.motion.frames, seams: gapMarks }, () =>
        motions.map((solved) => ({
          name: methodName(solved.method),
          curves: solved.motion.curves,
          dashed: solved !== shown,
        })),
      );
      plots.setFrame(mode.clock.frame);
      return plots.view(nothing, "Between keys", compared && methodName(compared.method));
    },
    onFrame: () => plots?.setFrame(mode.clock.frame),
  };
}
