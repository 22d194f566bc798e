/** The curve below a timeline that shows how unlike recorded motion each frame is. Buttons lead to the worst ranges. */
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { count } from "../core/format";
import { naturalness, RARE_SCORE, unnaturalRanges } from "../core/naturalness";
import { styled } from "../ui/style-directive";

/** Largest score that is drawn; higher scores have the same height. */
const MOST = 2;
/** Largest number of points of a curve; each point is the maximum of its frames. */
const POINTS = 600;

/** SVG paths by their scores. */
const lines = new WeakMap<Float32Array, string>();

/** Returns the area under the curve as an SVG path: x in frames, y from 0 at the top to `MOST`. */
function areaOf(scores: Float32Array): string {
  const known = lines.get(scores);
  if (known) return known;
  const every = Math.max(1, Math.ceil(scores.length / POINTS));
  const points: string[] = [];
  for (let frame = 0; frame < scores.length; frame += every) {
    let most = 0;
    for (const score of scores.subarray(frame, frame + every)) most = Math.max(most, score);
    points.push(`${frame + 0.5 * every} ${(MOST - Math.min(MOST, most)).toFixed(3)}`);
  }
  const area = `M0 ${MOST}L${points.join("L")}L${scores.length} ${MOST}Z`;
  lines.set(scores, area);
  return area;
}

/**
 * Renders the curve of a motion; nothing if it has no scores. `frames`: length of the timeline, which may be longer
 * than the motion. `go` is called to show a frame.
 */
export function naturalLane(
  app: App,
  clip: Parameters<typeof naturalness>[1],
  frames: number,
  go?: (frame: number) => void,
): TemplateResult | typeof nothing {
  const scores = naturalness(app, clip);
  if (!scores?.length) return nothing;
  const rare = unnaturalRanges(scores);
  const share = (frame: number): string => `${((100 * frame) / Math.max(1, frames)).toFixed(3)}%`;
  const description = rare.length
    ? `${count(
        rare.reduce((sum, { from, to }) => sum + to - from, 0),
        "frame",
      )} in ${count(rare.length, "stretch", "stretches")} like no recording`
    : "every frame is like recorded motion";
  return html`<div class="natural" role="group" aria-label="Naturalness: ${description}" title="Naturalness: ${description}">
    <svg viewBox="0 0 ${scores.length} ${MOST}" preserveAspectRatio="none" aria-hidden="true" ${styled({ width: share(scores.length) })}>
      ${svg`<path d=${areaOf(scores)}></path><line x1="0" x2=${scores.length} y1=${MOST - RARE_SCORE} y2=${MOST - RARE_SCORE}></line>`}
    </svg>
    <span class="natural-name">Naturalness</span>
    ${rare.map(
      ({
        from,
        to,
      }) => html`<button class="rare" type="button" ${styled({ left: share(from), width: share(to - from) })}
        title="Frames ${from + 1} to ${to}: unlike recorded motion"
          aria-label="Go to frame ${from + 1}: unlike recorded motion" @click=${() => go?.(from)}></button>`,
    )}
  </div>`;
}
