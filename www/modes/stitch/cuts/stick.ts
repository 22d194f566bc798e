/** Draws poses over each other as stick figures, with their hips at one point and one heading. */
import { bonesOf, jointOf, rootOf, type Poses } from "../../../viewer/poses";

/** A pose and its colour. */
export interface Stick {
  poses: Poses;
  frame: number;
  color: string;
}

/** Angle of the camera from the front of the figure towards its side, radians. */
const VIEW = Math.PI / 5;

/** Projects the joints of a frame to the image plane: metres, hips at x = 0, y up. */
function project({ poses, frame }: Stick): [number, number][] {
  const { positions, joints } = poses;
  const offset = Math.max(0, Math.min(poses.frames - 1, frame)) * joints.length * 3;
  const coordinate = (joint: number, axis: number): number => positions[offset + joint * 3 + axis] ?? 0;
  const root = rootOf(poses);
  const [left, right] = [jointOf(poses, "LeftUpLeg"), jointOf(poses, "RightUpLeg")];
  const heading =
    left >= 0 && right >= 0
      ? Math.atan2(coordinate(left, 0) - coordinate(right, 0), coordinate(left, 2) - coordinate(right, 2)) - Math.PI / 2
      : 0;
  const [cos, sin] = [Math.cos(VIEW - heading), Math.sin(VIEW - heading)];
  return joints.map((_, joint) => {
    const [x, z] = [coordinate(joint, 0) - coordinate(root, 0), coordinate(joint, 2) - coordinate(root, 2)];
    return [cos * x + sin * z, coordinate(joint, 1)];
  });
}

/** Draws poses over each other on a canvas. */
export function drawSticks(canvas: HTMLCanvasElement, sticks: readonly Stick[]): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext("2d");
  if (!context || width < 2 || height < 2) return;
  const scale = devicePixelRatio;
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  context.scale(scale, scale);
  const figures = sticks.map(project);
  const ys = figures.flat().map(([, y]) => y);
  const xs = figures.flat().map(([x]) => Math.abs(x));
  const [minY, maxY, maxX] = [Math.min(...ys), Math.max(...ys), Math.max(0.05, ...xs)];
  const pixelsPerMetre = Math.min((height - 12) / Math.max(0.1, maxY - minY), (width - 12) / (2 * maxX));
  context.lineCap = "round";
  figures.forEach((points, index) => {
    const { poses, color } = sticks[index];
    context.strokeStyle = color;
    context.lineWidth = 2.5;
    context.beginPath();
    const toPixels = ([x, y]: [number, number]): [number, number] => [
      width / 2 + x * pixelsPerMetre,
      height - 6 - (y - minY) * pixelsPerMetre,
    ];
    for (const [parent, joint] of bonesOf(poses)) {
      context.moveTo(...toPixels(points[parent]));
      context.lineTo(...toPixels(points[joint]));
    }
    context.stroke();
  });
}
