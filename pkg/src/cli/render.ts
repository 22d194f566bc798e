/** `kinestitch render`: draws a motion as a strip of figures, or as an animated picture. */
import { extname } from "node:path";
import { count, frames, oneOf, text } from "../core/options.js";
import { printableJson } from "../core/quote.js";
import type { Clip } from "../core/types.js";
import { drawAnimation, layouts, type PictureOptions, drawStrip } from "../picture/drawing.js";
import { views } from "../picture/figure.js";
import { encodeGifFile, encodePngFile } from "../picture/files.js";
import { toAnimatedSvg, toSvg } from "../picture/svg.js";
import { FileError } from "./file-error.js";
import { loadFile } from "./files.js";
import { defineFlags, HELP, JSON_FLAG, requireOnePath, flagOptions, parseFlags, UsageError } from "./flags.js";
import { round } from "./info.js";
import { checkOutputs, print, write } from "./output.js";

/** Picture formats by file extension. */
const formats = ["svg", "png", "gif"] as const;
type Format = (typeof formats)[number];

/** Frames per second of animated pictures. */
const FRAME_RATE = { svg: 15, gif: 20 } as const;
/** Longest animated picture, seconds; a longer one would have tens of megabytes. */
const MAX_SECONDS = 60;
const MIN_HEIGHT = 60;
const MAX_HEIGHT = 2000;
const MAX_FIGURES = 200;
/** Largest PNG, pixels; it needs 400 MB of memory. */
const MAX_PNG_PIXELS = 1e8;

const OPTIONS = {
  view: oneOf(views),
  figures: count,
  layout: oneOf(layouts),
  height: count,
  from: frames,
  to: frames,
  animation: text,
};

/** Text of `kinestitch render --help`. */
export const renderHelp = `kinestitch render FILE -o OUT.svg|OUT.png|OUT.gif [options]

Draws a motion as a strip of figures, or with --moving as an animation; a GIF is always an animation. Left limbs are
orange, right limbs are blue.

  -o, --output OUT        output file; its extension selects the format
  --moving                SVG: an animation instead of a strip
  --view V                ${views.join(", ")} (default: quarter); side: at a right angle to the travel
  --layout L              ${layouts.join(", ")} (default: columns); columns: figures side by side;
                          path: figures at their positions on the ground
  --figures N             number of figures in a strip (default: 12, at most ${MAX_FIGURES})
  --height N              height of the picture, pixels (default: 240)
  --from F, --to F        draw the frames from F to F (excluded); frames count from 0
  --animation NAME        animation of a GLB or glTF file (default: the first)
  --json                  one JSON object: {output, width, height, frames, seconds}`;

/** Runs the command. `args`: the arguments after "render". */
export async function render(args: string[]): Promise<void> {
  const ownFlags = { output: { type: "string", short: "o" }, moving: { type: "boolean" } } as const;
  const { values, positionals } = parseFlags(args, { ...HELP, ...JSON_FLAG, ...ownFlags, ...defineFlags(OPTIONS) });
  if (values.help) return print(renderHelp);
  const file = requireOnePath("render", positionals);
  const output = String(values.output ?? "");
  const format = formatOf(output);
  if (values.moving && format === "png") throw new UsageError("a PNG does not move: use -o OUT.gif or -o OUT.svg");
  const { animation, ...options } = flagOptions<PictureOptions & { animation?: string }>(OPTIONS as never, values);
  checkSizes(options);
  checkOutputs([output], [file]);
  const clip = await loadFile(file, undefined, animation);
  checkRange(clip, options);
  const picture = draw(clip, format, values.moving === true || format === "gif", options);
  await write(output, picture.data);
  const { width, height, seconds } = picture;
  const { from = 0, to = clip.frames } = options;
  const frames = to - from;
  if (values.json) await print(printableJson({ output, width, height, frames, seconds: Number(round(seconds)) }));
  else await print(`${output}: ${width} × ${height} pixels, ${frames} frames, ${round(seconds)} s`);
}

function formatOf(output: string): Format {
  const extension = extname(output).slice(1).toLowerCase();
  const format = formats.find((format) => format === extension);
  if (!format) throw new UsageError(`name an output file: -o OUT.svg, OUT.png or OUT.gif, not "${output}"`);
  return format;
}

function checkSizes({ figures = 1, height = MIN_HEIGHT }: PictureOptions): void {
  if (figures < 1 || figures > MAX_FIGURES) throw new UsageError(`--figures is 1 to ${MAX_FIGURES}, not ${figures}`);
  if (height < MIN_HEIGHT || height > MAX_HEIGHT)
    throw new UsageError(`--height is ${MIN_HEIGHT} to ${MAX_HEIGHT} pixels, not ${height}`);
}

function checkRange({ frames, name }: Clip, { from = 0, to = frames }: PictureOptions): void {
  if (from >= to || to > frames)
    throw new FileError(`${name} has ${frames} frames: from ${from} to ${to} (excluded) is not a range of them`);
}

function checkPixels({ width, height }: { width: number; height: number }): void {
  if (width * height > MAX_PNG_PIXELS)
    throw new FileError(
      `a PNG of ${width} × ${height} pixels is too large: use fewer --figures, a smaller --height, or -o OUT.svg`,
    );
}

interface Picture {
  data: string | Uint8Array;
  width: number;
  height: number;
  seconds: number;
}

function draw(clip: Clip, format: Format, isMoving: boolean, options: PictureOptions): Picture {
  const { from = 0, to = clip.frames } = options;
  const duration = (to - from) / clip.fps;
  if (!isMoving || format === "png") {
    const drawing = drawStrip(clip, options);
    if (format === "png") checkPixels(drawing);
    return { ...drawing, data: format === "png" ? encodePngFile(drawing) : toSvg(drawing), seconds: duration };
  }
  if (duration > MAX_SECONDS)
    throw new FileError(
      `an animation is at most ${MAX_SECONDS} s long, not ${round(duration)} s: select frames with --from F --to F`,
    );
  const { pictures, seconds } = drawAnimation(clip, FRAME_RATE[format], options);
  const { width = 0, height = 0 } = pictures[0] ?? {};
  return {
    data: format === "gif" ? encodeGifFile(pictures, seconds) : toAnimatedSvg(pictures, seconds),
    width,
    height,
    seconds,
  };
}
