/** A plot over frames, drawn by uPlot: lines of one or two motions, seams, and the playhead. */
import type { FrameRange } from "kinestitch/worker";
import type uPlot from "uplot";
import { whenLoadingGateOpens } from "../core/loading-gate";
import "uplot/dist/uPlot.min.css";

/** The plotting library; loaded for the first plot that has data. */
let library: Promise<typeof uPlot> | undefined;
/** Loads the library after the first render of the page. */
const loadLibrary = (): Promise<typeof uPlot> =>
  (library ??= whenLoadingGateOpens()
    .then(() => import("uplot"))
    .then(({ default: UPlot }) => UPlot));

/** A line of a plot: one value per frame. */
export interface Line {
  label: string;
  values: Float32Array;
  color: string;
  dashed: boolean;
}

/** Contents of a plot: lines, range of frames, and seams. */
export interface PlotData {
  lines: Line[];
  /** Frames shown: [from, to). */
  from: number;
  to: number;
  /** Marked frames, and the shaded range of each: changed frames around a seam, or generated frames of a gap. */
  seams: { frame: number; range: FrameRange }[];
}

/** Colours of a plot. */
export interface Inks {
  text: string;
  grid: string;
  seam: string;
  band: string;
}

/** Largest number of points of a line. In longer motions a point is the maximum of several frames, which keeps peaks. */
const MAX_POINTS = 3000;

/**
 * Returns the x values (frame numbers, counted from 1) and the y values of each line, with at most `MAX_POINTS` points.
 */
function samplePoints({ lines, from, to }: PlotData): [number[], ...(number | null)[][]] {
  const framesPerPoint = Math.max(1, Math.ceil((to - from) / MAX_POINTS));
  const frames: number[] = [];
  for (let frame = from; frame < to; frame += framesPerPoint) frames.push(frame + 1);
  const values = lines.map((line) =>
    frames.map((frameNumber) => {
      const first = frameNumber - 1;
      let max: number | null = null;
      for (let frame = first; frame < Math.min(first + framesPerPoint, to); frame++) {
        const value = line.values[frame];
        if (value !== undefined && (max === null || value > max)) max = value;
      }
      return max;
    }),
  );
  return [frames, ...values];
}

/** Formats a value of an axis. The steps of uPlot include 2.5, 25 and so on, whose multiples have three digits. */
const axisLabel = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

/** A plot with a playhead. Clicking or dragging calls `seek` with the frame under the pointer. */
export class Plot {
  readonly element = document.createElement("div");
  #unit: string;
  /** The class of the library, once loaded. */
  #uPlot: typeof uPlot | undefined;
  #frame = 0;
  #plot: uPlot | undefined;
  #drawnStyle = "";
  #data: PlotData = { lines: [], from: 0, to: 1, seams: [] };
  #inks: Inks = { text: "#888", grid: "#8884", seam: "#888", band: "#8882" };
  #playhead = document.createElement("div");
  /** The pointer that last dragged the playhead. */
  #pointerId: number | undefined;
  /** Arguments of the last call of {@link set} during a drag. */
  #postponed: [PlotData, Inks] | undefined;
  #seek: (frame: number) => void;

  constructor(title: string, unit: string, seek: (frame: number) => void) {
    this.#unit = unit;
    this.#seek = seek;
    this.element.className = "plot";
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", title);
    this.#playhead.className = "plot-playhead";
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  /** Draws the data; the first call loads the library. During a drag, nothing changes under the pointer. */
  set(data: PlotData, inks: Inks): void {
    // A plot that is removed from the page loses the pointer without an event.
    if (this.#pointerId !== undefined && this.#plot?.over.hasPointerCapture(this.#pointerId)) {
      this.#postponed = [data, inks];
      return;
    }
    this.#postponed = undefined;
    this.#data = data;
    this.#inks = inks;
    if (this.#uPlot) return this.#draw(this.#uPlot);
    const draw = (UPlot: typeof uPlot): void => {
      this.#uPlot = UPlot;
      this.#draw(UPlot);
    };
    // If loading fails, the figures stay empty until the data change, which tries again.
    loadLibrary().then(draw, () => (library = undefined));
  }

  #draw(UPlot: typeof uPlot): void {
    const { lines } = this.#data;
    const style = JSON.stringify([lines.map(({ label, color, dashed }) => [label, color, dashed]), this.#inks]);
    if (style !== this.#drawnStyle || !this.#plot) {
      this.#drawnStyle = style;
      this.#build(UPlot);
    }
    this.#plot?.setData(samplePoints(this.#data) as uPlot.AlignedData);
  }

  /** Moves the playhead. */
  setFrame(frame: number): void {
    this.#frame = frame;
    const plot = this.#plot;
    if (!plot) return;
    const x = plot.valToPos(frame + 1, "x");
    // `bbox` is stored by uPlot; the element's `clientWidth` would make the browser lay out the page at every frame.
    this.#playhead.hidden = !(x >= -1 && x <= plot.bbox.width / devicePixelRatio + 1);
    this.#playhead.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width > 0 && height > 0) this.#plot?.setSize({ width, height });
  }

  #build(UPlot: typeof uPlot): void {
    this.#plot?.destroy();
    const { lines } = this.#data;
    this.#plot = new UPlot(
      {
        width: Math.max(80, this.element.clientWidth),
        height: Math.max(60, this.element.clientHeight),
        padding: [8, 10, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, bind: { dblclick: () => null } },
        scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.06 : 1] } },
        axes: this.#axes(),
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.color,
            width: line.dashed ? 1.4 : 1.8,
            ...(line.dashed ? { dash: [4, 4] } : {}),
            points: { show: false },
          })),
        ],
        hooks: {
          drawClear: [(plot) => this.#drawSeams(plot)],
          ready: [(plot) => this.#addPlayhead(plot)],
          // uPlot applies a new range or size just before it draws.
          draw: [() => this.setFrame(this.#frame)],
        },
      },
      [[0], ...lines.map(() => [0])] as uPlot.AlignedData,
      this.element,
    );
  }

  /** Returns the axes: frame numbers, and values with their unit. */
  #axes(): uPlot.Axis[] {
    const axis: uPlot.Axis = {
      stroke: this.#inks.text,
      grid: { stroke: this.#inks.grid, width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
    };
    return [
      {
        ...axis,
        size: 24,
        space: 50,
        values: (_, splits) => splits.map((split) => (Number.isInteger(split) ? String(split) : "")),
      },
      {
        ...axis,
        size: 46,
        space: 26,
        values: (_, splits) => splits.map(axisLabel),
        label: this.#unit,
        labelSize: 16,
        labelFont: "11px system-ui, sans-serif",
        labelGap: 0,
      },
    ];
  }

  /** Adds the playhead to a new plot, and lets the pointer move it. */
  #addPlayhead(plot: uPlot): void {
    plot.over.append(this.#playhead);
    const seek = (event: PointerEvent): void => {
      const { left } = plot.over.getBoundingClientRect();
      const { from, to } = this.#data;
      const frame = Math.round(plot.posToVal(event.clientX - left, "x")) - 1;
      this.#seek(Math.max(from, Math.min(to - 1, frame)));
    };
    plot.over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      plot.over.setPointerCapture(event.pointerId);
      this.#pointerId = event.pointerId;
      seek(event);
    });
    plot.over.addEventListener("pointermove", (event) => {
      if (plot.over.hasPointerCapture(event.pointerId)) seek(event);
    });
    plot.over.addEventListener("lostpointercapture", (event) => {
      if (event.pointerId === this.#pointerId && this.#postponed) this.set(...this.#postponed);
    });
  }

  #drawSeams(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const { frame, range } of this.#data.seams) {
      const [left, right] = [range.from, range.to].map((edge) => plot.valToPos(edge + 1, "x", true)) as [
        number,
        number,
      ];
      ctx.fillStyle = this.#inks.band;
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
      ctx.strokeStyle = this.#inks.seam;
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      const x = Math.round(plot.valToPos(frame + 1, "x", true));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }
}
