/** Foot speed and joint jerk of the motion, and of plain interpolation as dashed lines. */
import { html, nothing } from "lit-html";
import type { Panel } from "../../../core/panel";
import { MotionPlots } from "../../../plot/motion-plots";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";

export function curves(mode: Inbetween): Panel {
  let plots: MotionPlots | undefined;
  return {
    id: "between-curves",
    title: "Curves",
    place: "dock",
    view: () => {
      const {
        result: { made },
        plain,
      } = mode;
      if (!made) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
      const other =
        plain.made && plain.made.method !== made.method && plain.made.motion.frames === made.motion.frames
          ? plain.made
          : undefined;
      const bands = made.clip.gaps.map(({ edited }) => ({ frame: edited.from, edited }));
      plots.set(`${made.key} ${other?.key}`, { from: 0, to: made.motion.frames, seams: bands }, () =>
        [made, other]
          .filter((one) => one !== undefined)
          .map((one) => ({ name: methodName(one.method), curves: one.motion.curves, dashed: one !== made })),
      );
      plots.setFrame(mode.clock.frame);
      return plots.view(nothing, "Between keys", other && methodName(other.method));
    },
    onFrame: () => plots?.setFrame(mode.clock.frame),
  };
}
