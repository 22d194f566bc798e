/**
 * Phases of limbs drawn as in Figure 5 of Starke et al. 2020. Entry `kinestitch/phases-svg`; needs neither wasm nor a
 * DOM.
 * @module kinestitch/phases-svg
 */
import { KinestitchError } from "./error.js";
import { makePrintable } from "./quote.js";
import type { Clip, LimbPhases } from "./types.js";

/** Margins of the plot, pixels: names of limbs on the left. */
export const phasesMargin = { left: 110, right: 12 } as const;
const TOP_MARGIN = 12;
const LIMB_GAP = 18;
/** Fraction of a limb's height that its curve takes; the bars take the remainder. */
const CURVE_FRACTION = 46 / 72;
/** Default scale, pixels per second, and range of the default width without margins, pixels. */
const PIXELS_PER_SECOND = 120;
const [MIN_DEFAULT_WIDTH, MAX_DEFAULT_WIDTH] = [300, 4000];
/** Number of opacity levels of bars; all bars of a level are one path. */
const OPACITY_LEVELS = 20;

/**
 * Options of the picture. Numbers must be finite; `from` is rounded down to a whole frame, and `to` up. Frames outside
 * the clip are not drawn.
 */
export interface PhasesPicture {
  /** First frame drawn; default 0. */
  from?: number;
  /** End of the drawn frames, excluded; default: the end of the clip. */
  to?: number;
  /** Total width of the picture, pixels; default: 120 per second, at least 300 and at most 4,000, plus margins. */
  width?: number;
  /** Height of one limb, pixels; default 72. */
  limbHeight?: number;
}

/** Positions in the picture. */
interface Layout {
  from: number;
  to: number;
  /** Number of frames from one drawn point to the next: points are at least a pixel apart. */
  step: number;
  curveHeight: number;
  barHeight: number;
  /** Horizontal position of a frame, pixels. */
  xOf(frame: number): number;
}

/**
 * Draws phases as SVG text. For each limb: contacts (grey), the filtered signal (dark) and the fitted sinusoid (cyan);
 * below them, the phase as bars whose opacity is the amplitude. For styling, the elements have the classes paper, tick,
 * contact, filtered, fit and bars.
 *
 * @throws {KinestitchError} `option`.
 * @example
 * ```js
 * const svg = phasesSvg(clip.phases(), clip, { width: 700 });
 * ```
 */
export function phasesSvg(
  limbs: readonly LimbPhases[],
  clip: Pick<Clip, "name" | "frames" | "fps">,
  picture: PhasesPicture = {},
): string {
  checkArguments(limbs, clip, picture);
  const { name, frames, fps } = clip;
  const { width: totalWidth, limbHeight = 72 } = picture;
  const to = Math.max(0, Math.min(Math.ceil(picture.to ?? frames), frames));
  const from = Math.max(0, Math.min(Math.floor(picture.from ?? 0), to));
  const count = Math.max(1, to - from);
  const { left, right } = phasesMargin;
  const width =
    totalWidth === undefined
      ? Math.max(MIN_DEFAULT_WIDTH, Math.min(MAX_DEFAULT_WIDTH, Math.round((count / fps) * PIXELS_PER_SECOND)))
      : Math.max(1, totalWidth - left - right);
  const curveHeight = Math.round(limbHeight * CURVE_FRACTION);
  const layout: Layout = {
    from,
    to,
    step: Math.max(1, Math.ceil(count / width)),
    curveHeight,
    barHeight: limbHeight - curveHeight,
    xOf: (frame) => left + ((frame - from) / count) * width,
  };
  const rows = limbs.map((limb, index) => limbElements(limb, TOP_MARGIN + index * (limbHeight + LIMB_GAP), layout));
  const bottom = TOP_MARGIN + limbs.length * (limbHeight + LIMB_GAP);
  const tickSeconds = [1, 2, 5, 10, 30, 60, 300, 600].find((seconds) => count / fps / seconds <= width / 60) ?? 3600;
  const firstTick = Math.ceil(from / fps / tickSeconds - 1e-6);
  const ticks = Array.from(
    { length: Math.max(0, Math.floor(to / fps / tickSeconds + 1e-6) - firstTick + 1) },
    (_, index) => {
      const x = px(layout.xOf((firstTick + index) * tickSeconds * fps));
      return (
        `<path class="tick" d="M${x} ${TOP_MARGIN}V${bottom - LIMB_GAP + 6}" stroke="#8884" fill="none"/>` +
        `<text x="${x}" y="${bottom + 4}" text-anchor="middle">${(firstTick + index) * tickSeconds} s</text>`
      );
    },
  );
  const size = `width="${left + width + right}" height="${bottom + 14}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><title>Phases of ${escapeXml(name)}</title>`,
    `<rect class="paper" ${size} fill="#fff"/>`,
    ...ticks,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function checkArguments(limbs: unknown, clip: unknown, picture: PhasesPicture): void {
  const fail = (option: string, message: string): never => {
    throw new KinestitchError("option", message, { option });
  };
  if (!Array.isArray(limbs)) fail("limbs", "limbs must be the list that phases returns; await the promise of a worker");
  if (typeof (clip as Partial<Clip> | null | undefined)?.frames !== "number")
    fail("clip", "the second argument must be the clip of the phases");
  for (const option of ["from", "to", "width", "limbHeight"] as const) {
    const value: unknown = picture[option];
    if (value !== undefined && !Number.isFinite(value))
      fail(option, `${option} must be a finite number, not ${String(value)}`);
  }
}

function limbElements(limb: LimbPhases, top: number, { from, to, step, curveHeight, barHeight, xOf }: Layout): string {
  const { contact, filtered, fit, phase, amplitude } = limb;
  const maxValue = Math.max(1, maxMagnitude(filtered), maxMagnitude(fit));
  const y = (value: number): string => px(top + curveHeight / 2 - (value / maxValue) * (curveHeight / 2 - 2));
  const frames = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
  const line = (values: Float32Array): string =>
    frames.map((frame, index) => `${index ? "L" : "M"}${px(xOf(frame))} ${y(values[frame] ?? 0)}`).join("");
  const contactPaths = contactRanges(contact)
    .map(([start, end]) => [Math.max(start, from), Math.min(end, to)] as const)
    .filter(([start, end]) => start < end)
    .map(([start, end]) => `M${px(xOf(start))} ${top}H${px(xOf(end))}V${top + curveHeight}H${px(xOf(start))}Z`);
  const maxAmplitude = maxMagnitude(amplitude) || 1;
  const barsByLevel = new Map<number, string[]>();
  for (const frame of frames) {
    const level = Math.round(((amplitude[frame] ?? 0) / maxAmplitude) * OPACITY_LEVELS);
    const height = ((phase[frame] ?? 0) / (2 * Math.PI)) * barHeight;
    if (level === 0 || !(height > 0)) continue;
    const bar = `M${px(xOf(frame))} ${px(top + curveHeight + barHeight)}v${px(-height)}H${px(xOf(Math.min(to, frame + step)))}v${px(height)}z`;
    const bars = barsByLevel.get(level);
    if (bars) bars.push(bar);
    else barsByLevel.set(level, [bar]);
  }
  const barPaths = [...barsByLevel].map(
    ([level, bars]) => `<path opacity="${level / OPACITY_LEVELS}" d="${bars.join("")}"/>`,
  );
  return [
    `<text x="${phasesMargin.left - 8}" y="${px(top + curveHeight / 2 + 4)}" text-anchor="end">${escapeXml(limb.name)}</text>`,
    `<path class="contact" d="${contactPaths.join("")}" fill="#ddd"/>`,
    `<path class="filtered" d="${line(filtered)}" stroke="#222" stroke-width="1.5" fill="none"/>`,
    `<path class="fit" d="${line(fit)}" stroke="#0bc" stroke-width="1.5" fill="none"/>`,
    `<g fill="#5a4fcf" class="bars">${barPaths.join("")}</g>`,
  ].join("\n");
}

/** Returns the frame range of each contact, [from, to). */
function contactRanges(contact: Uint8Array): [number, number][] {
  const ranges: [number, number][] = [];
  contact.forEach((touches, frame) => {
    if (!touches) return;
    const last = ranges.at(-1);
    if (last?.[1] === frame) last[1]++;
    else ranges.push([frame, frame + 1]);
  });
  return ranges;
}

const maxMagnitude = (values: Float32Array): number =>
  values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Escapes a name. XML forbids most control characters, even escaped. */
const escapeXml = (text: string): string =>
  makePrintable(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
