/** Image of motions from the side: a row of poses, as in a chronophotograph, and a moving figure. */
import type { ClipInfo } from "kinestitch/worker";
import type { MotionSection } from "./gap";
import { appendSvg } from "./svg";

/** Width, height and margin of the image, in units of its `viewBox`. */
const [WIDTH, HEIGHT, MARGIN] = [900, 150, 60];
/** Number of poses in a row: of a single motion, and of each of several motions over each other. */
const [SINGLE_POSES, OVERLAID_POSES] = [13, 5];
const SIDES = ["trunk", "left", "right"];

/**
 * Common view of all lanes: direction and scales. Travel has a scale of its own, so that a short path also fills the
 * width of the image.
 */
export interface View {
  info: ClipInfo;
  /** Index of the hips. */
  root: number;
  /** Direction of travel. */
  direction: [x: number, z: number];
  /** Position of the first frame along the direction, metres. */
  start: number;
  /** Scale of the path of the hips, and of the body around the hips: units of the image per metre. */
  unitsPerTravelMetre: number;
  unitsPerBodyMetre: number;
}

/** Computes the view in which a motion fits into the image. */
export function viewOf(info: ClipInfo, { positions, frames }: MotionSection): View {
  const joints = info.joints.length;
  const root = Math.max(
    0,
    info.joints.findIndex(({ name }) => name === info.rig.Hips),
  );
  const rootCoordinate = (frame: number, axis: number): number => positions[(frame * joints + root) * 3 + axis] ?? 0;
  const [dx, dz] = [
    rootCoordinate(frames - 1, 0) - rootCoordinate(0, 0),
    rootCoordinate(frames - 1, 2) - rootCoordinate(0, 2),
  ];
  const length = Math.hypot(dx, dz);
  const direction: [number, number] = length > 0.05 ? [dx / length, dz / length] : [1, 0];
  let maxY = 0;
  for (let k = 1; k < positions.length; k += 3) maxY = Math.max(maxY, positions[k] ?? 0);
  return {
    info,
    root,
    direction,
    start: rootCoordinate(0, 0) * direction[0] + rootCoordinate(0, 2) * direction[1],
    unitsPerTravelMetre: (WIDTH - 2 * MARGIN) / Math.max(0.3, length),
    unitsPerBodyMetre: (HEIGHT - 24) / Math.max(0.5, maxY * 1.06),
  };
}

/** A labelled image of motions. */
export class Lane {
  readonly element: HTMLElement;
  #row: SVGElement;
  #figures: SVGElement;
  #title: HTMLElement;
  #sections: readonly MotionSection[] = [];
  #view: View | undefined;

  /** Creates an image. `kind`: class for its colour. */
  constructor(name: string, kind: string) {
    this.element = document.createElement("figure");
    this.element.className = `lane ${kind}`;
    const caption = document.createElement("figcaption");
    this.#title = document.createElement("span");
    caption.append(Object.assign(document.createElement("b"), { textContent: name }), " ", this.#title);
    const svg = appendSvg(this.element, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `${name}: poses in a row`,
    });
    appendSvg(svg, "line", {
      x1: 0,
      x2: WIDTH,
      y1: HEIGHT - 12,
      y2: HEIGHT - 12,
      class: "floor",
    });
    this.#row = appendSvg(svg, "g", { class: "row" });
    this.#figures = appendSvg(svg, "g");
    this.element.append(caption);
  }

  /**
   * Shows motions over each other, and a line of text. The first `comparisonCount` motions are shown for comparison.
   */
  set(view: View, sections: readonly MotionSection[], text: string, comparisonCount = 0): void {
    this.#view = view;
    this.#sections = sections;
    this.#title.textContent = text;
    this.#row.replaceChildren();
    this.#figures.replaceChildren();
    for (const [index, section] of sections.entries()) {
      const kind = index < comparisonCount ? " comparison" : "";
      const last = section.frames - 1;
      // Several motions have few poses each, so that they can be distinguished.
      const count = Math.min(sections.length > 1 ? OVERLAID_POSES : SINGLE_POSES, section.frames);
      for (let i = 0; i < count; i++) {
        const frame = Math.round((i * last) / (count - 1));
        const pose = appendSvg(this.#row, "g", { class: (frame === 0 || frame === last ? "known" : "made") + kind });
        this.#paths(section, frame).forEach((d, side) => appendSvg(pose, "path", { d, class: SIDES[side] ?? "" }));
      }
      const figure = appendSvg(this.#figures, "g", { class: `figure${kind}` });
      SIDES.forEach((side) => appendSvg(figure, "path", { class: side }));
    }
  }

  /** Moves the figures to a frame, which may be fractional. */
  show(frame: number): void {
    this.#sections.forEach((section, index) => {
      const parts = this.#figures.children[index]?.children;
      this.#paths(section, Math.min(section.frames - 1, frame)).forEach((d, side) =>
        parts?.[side]?.setAttribute("d", d),
      );
    });
  }

  /** Returns the paths of the trunk, the left limbs and the right limbs of a pose. */
  #paths(section: MotionSection, frame: number): string[] {
    const view = this.#view;
    if (!view) return [];
    const {
      info: { joints },
      root,
      direction,
      start,
      unitsPerTravelMetre,
      unitsPerBodyMetre,
    } = view;
    const previous = Math.floor(frame);
    const next = Math.min(section.frames - 1, previous + 1);
    const coordinate = (joint: number, axis: number): number => {
      const [a, b] = [previous, next].map(
        (frameIndex) => section.positions[(frameIndex * joints.length + joint) * 3 + axis] ?? 0,
      ) as [number, number];
      return a + (b - a) * (frame - previous);
    };
    const travel = (joint: number): number => coordinate(joint, 0) * direction[0] + coordinate(joint, 2) * direction[1];
    const rootTravel = travel(root);
    const x = MARGIN + (rootTravel - start) * unitsPerTravelMetre;
    const point = (joint: number): string => {
      const pointX = x + (travel(joint) - rootTravel) * unitsPerBodyMetre;
      const pointY = HEIGHT - 12 - coordinate(joint, 1) * unitsPerBodyMetre;
      return `${pointX.toFixed(1)} ${pointY.toFixed(1)}`;
    };
    const paths = ["", "", ""];
    joints.forEach(({ name, parent }, joint) => {
      if (parent < 0) return;
      const side = /left/i.test(name) ? 1 : /right/i.test(name) ? 2 : 0;
      paths[side] += `M${point(parent)}L${point(joint)}`;
    });
    return paths;
  }
}
