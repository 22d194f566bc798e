/**
 * The curve of naturalness below a timeline: frames that no recording resembles are marked, with buttons to go
 * there.
 */
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { count } from "../core/format";
import { naturalness, RARE_SCORE, unnaturalRanges } from "../core/naturalness";
import { styled } from "../ui/style-directive";

/** Scores from here on are drawn alike. */
const MOST = 2;
/** Largest number of points of a curve; each is the maximum of its frames. */
const POINTS = 600;

const lines = new WeakMap<Float32Array, string>();

/** The area under the curve: x in frames, y from 0 at the top to `MOST`. */
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

/** `frames`: number of frames of the whole timeline, which may be longer than the motion. */
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
