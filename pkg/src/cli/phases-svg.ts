/** Phases of limbs drawn as in Figure 5 of Starke et al. 2020. */
import type { Clip, LimbPhases } from "../core/types.js";

const LEFT = 110;
const RIGHT = 12;
const TOP = 12;
const CURVE = 46;
const BARS = 26;
const GAP = 18;
/** Pixels a second, and the widest plot. */
const SECOND = 120;
const WIDEST = 4000;

/** A picture as text: for each limb its contacts (grey), what was fitted (dark), the fit (cyan); below, its phase as bars, the opaquer the larger its amplitude. */
export function phasesSvg(limbs: readonly LimbPhases[], { name, frames, fps }: Pick<Clip, "name" | "frames" | "fps">): string {
  const width = Math.max(300, Math.min(WIDEST, Math.round((frames / fps) * SECOND)));
  // No finer than a pixel.
  const step = Math.max(1, Math.ceil(frames / width));
  const at = (frame: number): number => LEFT + (frame / Math.max(1, frames)) * width;
  const rows = limbs.map((limb, index) => row(limb, TOP + index * (CURVE + BARS + GAP), step, at));
  const bottom = TOP + limbs.length * (CURVE + BARS + GAP);
  const every = [1, 2, 5, 10, 30, 60, 300, 600].find((secs) => (frames / fps / secs) <= width / 60) ?? 3600;
  const ticks = Array.from({ length: Math.floor(frames / fps / every) + 1 }, (_, index) => {
    const x = px(at(index * every * fps));
    return `<path d="M${x} ${TOP}V${bottom - GAP + 6}" stroke="#8884" fill="none"/><text x="${x}" y="${bottom + 4}" text-anchor="middle">${index * every} s</text>`;
  });
  const size = `width="${LEFT + width + RIGHT}" height="${bottom + 14}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><title>Phases of ${escaped(name)}</title>`,
    `<rect ${size} fill="#fff"/>`,
    ...ticks,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function row(limb: LimbPhases, top: number, step: number, at: (frame: number) => number): string {
  const { contact, filtered, fit, phase, amplitude } = limb;
  const most = Math.max(1, peak(filtered), peak(fit));
  const y = (value: number): string => px(top + CURVE / 2 - (value / most) * (CURVE / 2 - 2));
  const line = (values: Float32Array): string =>
    Array.from({ length: Math.ceil(values.length / step) }, (_, index) => `${index ? "L" : "M"}${px(at(index * step))} ${y(values[index * step] ?? 0)}`).join("");
  const blocks = runs(contact).map(([from, to]) => `M${px(at(from))} ${top}H${px(at(to))}V${top + CURVE}H${px(at(from))}Z`);
  const loudest = peak(amplitude) || 1;
  const bars: string[] = [];
  for (let frame = 0; frame < phase.length; frame += step) {
    const opacity = (amplitude[frame] ?? 0) / loudest;
    const height = ((phase[frame] ?? 0) / (2 * Math.PI)) * BARS;
    if (opacity < 0.02) continue;
    bars.push(`<rect x="${px(at(frame))}" y="${px(top + CURVE + BARS - height)}" width="${px(at(step) - at(0))}" height="${px(height)}" opacity="${opacity.toFixed(2)}"/>`);
  }
  return [
    `<text x="${LEFT - 8}" y="${top + CURVE / 2 + 4}" text-anchor="end">${escaped(limb.name)}</text>`,
    `<path d="${blocks.join("")}" fill="#ddd"/>`,
    `<path d="${line(filtered)}" stroke="#222" stroke-width="1.5" fill="none"/>`,
    `<path d="${line(fit)}" stroke="#0bc" stroke-width="1.5" fill="none"/>`,
    `<g fill="#5a4fcf">${bars.join("")}</g>`,
  ].join("\n");
}

/** [from, to) of each contact. */
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
