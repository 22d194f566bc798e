/**
 * Phases of limbs drawn as in Figure 5 of Starke et al. 2020. Entry `kinestitch/phases-svg`; needs neither wasm nor a
 * page.
 * @module kinestitch/phases-svg
 */
import type { Clip, LimbPhases } from "./types.js";

/** Margins of the plot, pixels: names of limbs on the left. */
export const phasesMargin = { left: 110, right: 12 } as const;
const TOP = 12;
const GAP = 18;
/** Fraction of a limb's height for its curve; the rest is for bars. */
const CURVE = 46 / 72;
/** Default scale, pixels per second, and largest default width. */
const SECOND = 120;
const WIDEST = 4000;
/** Number of opacity levels of bars; bars of one level are one shape. */
const SHADES = 20;

/** Options of the picture. */
export interface PhasesPicture {
  /** First frame drawn; default 0. */
  from?: number;
  /** Frame before which the picture ends; default: the clip's frames. */
  to?: number;
  /** Width of the whole picture, pixels; default 120 per second. */
  width?: number;
  /** Height of one limb, pixels; default 72. */
  limbHeight?: number;
}

/** Positions in the picture. */
interface Layout {
  from: number;
  to: number;
  /** Number of frames between two points, at least a pixel. */
  step: number;
  curve: number;
  bars: number;
  at(frame: number): number;
}

/**
 * A picture as SVG text. For each limb: contacts (grey), the filtered signal (dark), the fit (cyan); below, the
 * phase as bars whose opacity is the amplitude. Its parts have classes (paper, tick, contact, filtered, fit, bars)
 * for styling.
 *
 * @example
 * ```js
 * const svg = phasesSvg(clip.phases(), clip, { width: 700 });
 * ```
 */
export function phasesSvg(
  limbs: readonly LimbPhases[],
  { name, frames, fps }: Pick<Clip, "name" | "frames" | "fps">,
  { from = 0, to = frames, width: whole, limbHeight = 72 }: PhasesPicture = {},
): string {
  const count = Math.max(1, to - from);
  const { left, right } = phasesMargin;
  const width =
    whole === undefined
      ? Math.max(300, Math.min(WIDEST, Math.round((count / fps) * SECOND)))
      : Math.max(1, whole - left - right);
  const curve = Math.round(limbHeight * CURVE);
  const layout: Layout = {
    from,
    to,
    step: Math.max(1, Math.ceil(count / width)),
    curve,
    bars: limbHeight - curve,
    at: (frame) => left + ((frame - from) / count) * width,
  };
  const rows = limbs.map((limb, index) => row(limb, TOP + index * (limbHeight + GAP), layout));
  const bottom = TOP + limbs.length * (limbHeight + GAP);
  const every = [1, 2, 5, 10, 30, 60, 300, 600].find((secs) => count / fps / secs <= width / 60) ?? 3600;
  const first = Math.ceil(from / fps / every - 1e-6);
  const ticks = Array.from({ length: Math.max(0, Math.floor(to / fps / every + 1e-6) - first + 1) }, (_, index) => {
    const x = px(layout.at((first + index) * every * fps));
    return `<path class="tick" d="M${x} ${TOP}V${bottom - GAP + 6}" stroke="#8884" fill="none"/><text x="${x}" y="${bottom + 4}" text-anchor="middle">${(first + index) * every} s</text>`;
  });
  const size = `width="${left + width + right}" height="${bottom + 14}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><title>Phases of ${escaped(name)}</title>`,
    `<rect class="paper" ${size} fill="#fff"/>`,
    ...ticks,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function row(limb: LimbPhases, top: number, { from, to, step, curve, bars, at }: Layout): string {
  const { contact, filtered, fit, phase, amplitude } = limb;
  const most = Math.max(1, peak(filtered), peak(fit));
  const y = (value: number): string => px(top + curve / 2 - (value / most) * (curve / 2 - 2));
  const frames = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
  const line = (values: Float32Array): string =>
    frames.map((frame, index) => `${index ? "L" : "M"}${px(at(frame))} ${y(values[frame] ?? 0)}`).join("");
  const blocks = runs(contact)
    .map(([start, end]) => [Math.max(start, from), Math.min(end, to)] as const)
    .filter(([start, end]) => start < end)
    .map(([start, end]) => `M${px(at(start))} ${top}H${px(at(end))}V${top + curve}H${px(at(start))}Z`);
  const loudest = peak(amplitude) || 1;
  const shades = new Map<number, string[]>();
  for (const frame of frames) {
    const shade = Math.round(((amplitude[frame] ?? 0) / loudest) * SHADES);
    const height = ((phase[frame] ?? 0) / (2 * Math.PI)) * bars;
    if (shade === 0 || !(height > 0)) continue;
    const bar = `M${px(at(frame))} ${px(top + curve + bars)}v${px(-height)}H${px(at(Math.min(to, frame + step)))}v${px(height)}z`;
    const found = shades.get(shade);
    if (found) found.push(bar);
    else shades.set(shade, [bar]);
  }
  return [
    `<text x="${phasesMargin.left - 8}" y="${px(top + curve / 2 + 4)}" text-anchor="end">${escaped(limb.name)}</text>`,
    `<path class="contact" d="${blocks.join("")}" fill="#ddd"/>`,
    `<path class="filtered" d="${line(filtered)}" stroke="#222" stroke-width="1.5" fill="none"/>`,
    `<path class="fit" d="${line(fit)}" stroke="#0bc" stroke-width="1.5" fill="none"/>`,
    `<g fill="#5a4fcf" class="bars">${[...shades].map(([shade, found]) => `<path opacity="${shade / SHADES}" d="${found.join("")}"/>`).join("")}</g>`,
  ].join("\n");
}

/** Range [from, to) of each contact. */
function runs(contact: Uint8Array): [number, number][] {
  const found: [number, number][] = [];
  contact.forEach((touches, frame) => {
    if (!touches) return;
    const last = found.at(-1);
    if (last?.[1] === frame) last[1]++;
    else found.push([frame, frame + 1]);
  });
  return found;
}

const peak = (values: Float32Array): number => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

const px = (value: number): string => String(Math.round(value * 10) / 10);

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
