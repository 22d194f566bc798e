/** The panel of curves: foot speed and joint jerk of the motion. Dashed: plain interpolation. */
import { html, nothing } from "lit-html";
import type { Panel } from "../../../core/panel";
import { MotionPlots } from "../../../plot/motion-plots";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";

/** Creates the panel of the curves. */
export function curvesPanel(mode: Inbetween): Panel {
  let plots: MotionPlots | undefined;
  return {
    id: "between-curves",
    title: "Curves",
    region: "dock",
    view: () => {
      const {
        result: { solved },
        plain,
      } = mode;
      if (!solved) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
      const plainSolved =
        plain.solved && plain.solved.method !== solved.method && plain.solved.motion.frames === solved.motion.frames
          ? plain.solved
          : undefined;
      const gapRanges = solved.clip.gaps.map(({ range }) => ({ frame: range.from, range }));
      plots.set(`${solved.key} ${plainSolved?.key}`, { from: 0, to: solved.motion.frames, seams: gapRanges }, () =>
        [solved, plainSolved]
          .filter((shown) => shown !== undefined)
          .map((shown) => ({ name: methodName(shown.method), curves: shown.motion.curves, dashed: shown !== solved })),
      );
      plots.setFrame(mode.clock.frame);
      return plots.view(nothing, "Between keys", plainSolved && methodName(plainSolved.method));
    },
    onFrame: () => plots?.setFrame(mode.clock.frame),
  };
}
