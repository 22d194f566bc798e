/** The naturalness curve below a timeline, with marks at the ranges that are unlike recorded motion. */
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { count } from "../core/format";
import { naturalness, RARE_SCORE, unnaturalRanges } from "../core/naturalness";
import { styled } from "../ui/style-directive";

/** Largest score that is drawn; higher scores have the same height. */
const MAX_SCORE = 2;
/** Largest number of points of a curve; each point is the maximum of its frames. */
const MAX_POINTS = 600;

/** SVG paths of curves, cached by their scores. */
const areas = new WeakMap<Float32Array, string>();

/** Returns the area under the curve as an SVG path: x in frames, y from 0 at the top to `MAX_SCORE`. */
function areaOf(scores: Float32Array): string {
  const cached = areas.get(scores);
  if (cached) return cached;
  const framesPerPoint = Math.max(1, Math.ceil(scores.length / MAX_POINTS));
  const points: string[] = [];
  for (let frame = 0; frame < scores.length; frame += framesPerPoint) {
    let max = 0;
    for (const score of scores.subarray(frame, frame + framesPerPoint)) max = Math.max(max, score);
    points.push(`${frame + 0.5 * framesPerPoint} ${(MAX_SCORE - Math.min(MAX_SCORE, max)).toFixed(3)}`);
  }
  const area = `M0 ${MAX_SCORE}L${points.join("L")}L${scores.length} ${MAX_SCORE}Z`;
  areas.set(scores, area);
  return area;
}

/**
 * Renders the curve of a motion; nothing if it has no scores. `frames`: length of the timeline, which may be longer
 * than the motion. `goTo` shows a frame; if it is present, the marked ranges are buttons that go to their first frame.
 */
export function naturalLane(
  app: App,
  clip: Parameters<typeof naturalness>[1],
  frames: number,
  goTo?: (frame: number) => void,
): TemplateResult | typeof nothing {
  const scores = naturalness(app, clip);
  if (!scores?.length) return nothing;
  const ranges = unnaturalRanges(scores);
  const percent = (frame: number): string => `${((100 * frame) / Math.max(1, frames)).toFixed(3)}%`;
  const rareFrames = scores.filter((score) => score > RARE_SCORE).length;
  const description = ranges.length
    ? `${count(rareFrames, "frame")} in ${count(ranges.length, "range")} unlike recorded motion`
    : "every frame is like recorded motion";
  const mark = ({ from, to }: (typeof ranges)[number]): TemplateResult => {
    const style = styled({ left: percent(from), width: percent(to - from) });
    const title = `${to - from === 1 ? `Frame ${to}` : `Frames ${from + 1} to ${to}`}: unlike recorded motion`;
    return goTo
      ? html`<button class="rare" type="button" ${style} title=${title}
          aria-label="Go to frame ${from + 1}: unlike recorded motion" @click=${() => goTo(from)}></button>`
      : html`<span class="rare" ${style} title=${title}></span>`;
  };
  return html`<div class="natural" role="group" aria-label="Naturalness: ${description}" title="Naturalness: ${description}">
    <svg viewBox="0 0 ${scores.length} ${MAX_SCORE}" preserveAspectRatio="none" aria-hidden="true" ${styled({ width: percent(scores.length) })}>
      ${svg`<path d=${areaOf(scores)}></path><line x1="0" x2=${scores.length} y1=${MAX_SCORE - RARE_SCORE} y2=${MAX_SCORE - RARE_SCORE}></line>`}
    </svg>
    <span class="natural-name">Naturalness</span>
    ${ranges.map(mark)}
  </div>`;
}
