/** Draws two poses over each other as stick figures, with their hips at one point and one heading. */
import { jointOf, rootOf, type Poses } from "../../../viewer/poses";

/** A pose and its colour. */
export interface Stick {
  poses: Poses;
  frame: number;
  color: string;
}

/** Direction of the camera, half-way between front and side. */
const VIEW = Math.PI / 5;

/** Joints of a frame on the picture plane, metres, hips at x = 0, y up. */
function flat({ poses, frame }: Stick): [number, number][] {
  const { positions, joints } = poses;
  const base = Math.max(0, Math.min(poses.frames - 1, frame)) * joints.length * 3;
  const at = (joint: number, axis: number): number => positions[base + joint * 3 + axis] ?? 0;
  const root = rootOf(poses);
  const [left, right] = [jointOf(poses, "LeftUpLeg"), jointOf(poses, "RightUpLeg")];
  const heading =
    left >= 0 && right >= 0 ? Math.atan2(at(left, 0) - at(right, 0), at(left, 2) - at(right, 2)) - Math.PI / 2 : 0;
  const [cos, sin] = [Math.cos(VIEW - heading), Math.sin(VIEW - heading)];
  return joints.map((_, joint) => {
    const [x, z] = [at(joint, 0) - at(root, 0), at(joint, 2) - at(root, 2)];
    return [cos * x + sin * z, at(joint, 1)];
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
  const figures = sticks.map(flat);
  const ys = figures.flat().map(([, y]) => y);
  const xs = figures.flat().map(([x]) => Math.abs(x));
  const [low, high, wide] = [Math.min(...ys), Math.max(...ys), Math.max(0.05, ...xs)];
  const size = Math.min((height - 12) / Math.max(0.1, high - low), (width - 12) / (2 * wide));
  context.lineCap = "round";
  figures.forEach((points, index) => {
    const { poses, color } = sticks[index];
    context.strokeStyle = color;
    context.lineWidth = 2.5;
    context.beginPath();
    poses.joints.forEach(({ parent }, joint) => {
      if (parent < 0) return;
      const place = ([x, y]: [number, number]): [number, number] => [
        width / 2 + x * size,
        height - 6 - (y - low) * size,
      ];
      // A root far below the hips is not a bone.
      if (poses.joints[parent].parent < 0 && jointOf(poses, "Hips") > parent) return;
      context.moveTo(...place(points[parent]));
      context.lineTo(...place(points[joint]));
    });
    context.stroke();
  });
}
