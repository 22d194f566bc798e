/**
 * Foot speed and joint jerk over time, around a seam or over everything; those of the compared method as dashed
 * lines.
 */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import { MotionPlots, type Traced } from "../../../plot/motion-plots";
import { matchFrame } from "../match";
import { methodShort } from "../methods";
import { isCompared } from "../refine";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { Part } from "./part";

const ids = new WeakMap<Take, number>();
let serial = 0;
function takeId(take: Take | undefined): number {
  if (!take) return 0;
  const known = ids.get(take) ?? ++serial;
  ids.set(take, known);
  return known;
}

/** The shown result, and the one it is compared with. */
function takes(mode: Stitch): Take[] {
  const shown = mode.shownTake();
  const { a, b } = mode.stitcher.jobs;
  const other = !isCompared(mode) ? undefined : shown === a.take ? b.take : a.take;
  return [shown, other].filter((take) => take !== undefined);
}

/** The curves of a result, and the curves of the compared result at corresponding frames of the range. */
function traced(a: Take, take: Take, { from, to }: { from: number; to: number }): Traced {
  const matched = (values: Float32Array): Float32Array => {
    if (take === a || values.length === 0) return values;
    const found = new Float32Array(a.motion.frames);
    for (let frame = Math.max(0, from); frame <= Math.min(to, found.length - 1); frame++)
      found[frame] = values[Math.round(matchFrame(a, take, frame))] ?? 0;
    return found;
  };
  const {
    footSpeed: [left, right],
    jerk,
  } = take.motion.curves;
  return {
    name: methodShort(take.method),
    curves: { footSpeed: [matched(left), matched(right)], jerk: matched(jerk) },
    dashed: take !== a,
  };
}

/** The panel of the curves. */
export function curves(mode: Stitch): Panel {
  let plots: MotionPlots | undefined;
  const part = new Part(mode, "near");

  const draw = (): MotionPlots => {
    plots ??= new MotionPlots((frame) => mode.track.goTo(frame));
    const [a, b] = takes(mode);
    if (!a) return plots;
    const range = part.range(a);
    plots.set(
      `${takeId(a)} ${takeId(b)}`,
      { ...range, seams: a.seams.map(({ frame, editedRange }) => ({ frame, range: editedRange })) },
      () => [a, b].filter((take) => take !== undefined).map((take) => traced(a, take, range)),
    );
    plots.setFrame(mode.clock.frame);
    return plots;
  };

  return {
    id: "curves",
    title: "Curves",
    place: "dock",
    view: () => {
      const [a, b] = takes(mode);
      if (!a) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
      return draw().view(
        part.view(a),
        a.method === "rmr" ? "Changed by the network" : "Blend",
        b && methodShort(b.method),
      );
    },
    onFrame: () => {
      if (part.shown === "near" && (mode.shownTake()?.seams.length ?? 0) > 1) draw();
      else plots?.setFrame(mode.clock.frame);
    },
  };
}
