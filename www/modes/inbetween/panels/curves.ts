/**
 * The panel of curves: foot speed and joint jerk of the shown motion. Dashed, for comparison: the motion by linear
 * interpolation, or, while that is shown, the motion by the chosen method.
 */
import { html, nothing } from "lit-html";
import { identityOf } from "../../../core/ids";
import type { Panel } from "../../../core/panel";
import { MotionPlots } from "../../../plot/motion-plots";
import { taskOf } from "../document";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";
import type { SolvedMotion } from "../solver";
import { emptyText } from "./empty-text";

/**
 * Returns the other motion, by linear interpolation or by the chosen method. None if both are by the same method, or
 * as long as the slower of the two methods has not finished the current document.
 */
function comparedWith(shown: SolvedMotion, { result, plain }: Inbetween): SolvedMotion | undefined {
  const other = shown === plain.solved ? result.solved : plain.solved;
  if (!other || other.method === shown.method || taskOf(other.document) !== taskOf(shown.document)) return undefined;
  return other;
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
      if (!shown) return html`<p class="quiet">${emptyText(mode, "curves")}</p>`;
      plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
      const compared = comparedWith(shown, mode);
      const motions = compared ? [shown, compared] : [shown];
      const gapMarks = shown.clip.gaps.map(({ range }) => ({ frame: range.from, range }));
      // The key alone does not suffice: during a drag, a motion has the curves of the motion before the drag; after the
      // drag, the motion with the same key has curves of its own.
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
