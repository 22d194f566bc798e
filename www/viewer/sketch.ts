/** Draws a motion as bones on a 2D canvas: for small figures, and while three.js is not loaded. */
import { bonesOf, jointOf, poseAt, rootOf, smoothRootPath, type Poses } from "./poses";

/** View of a figure on a canvas. */
export interface SketchView {
  /** Size of the canvas, pixels. */
  width: number;
  height: number;
  /** Horizontal position of the root, pixels. */
  rootX: number;
  /** Direction from the figure to the camera, radians from +z towards +x. */
  yaw: number;
  /** Downward angle of the camera, radians. */
  pitch: number;
  /** Scale, pixels per metre. */
  pixelsPerMetre: number;
  /** Position of the ground under the figure, pixels from the top. */
  groundY: number;
  /** Width of bones, pixels. */
  boneWidth: number;
}

/** Colours of a sketch. */
export interface SketchColors {
  bones: string;
  ground: string;
}

/**
 * Data of a motion, computed once. `path`: see {@link smoothRootPath}. `pose`: buffer for one pose, [joints × 3].
 * `floor`: lowest height of any joint in any frame, metres.
 */
interface SketchData {
  path: Float32Array;
  pose: Float32Array;
  /** Bones as pairs of joints. */
  bones: [number, number][];
  floor: number;
}

const dataByPoses = new WeakMap<Poses, SketchData>();

function sketchDataOf(poses: Poses): SketchData {
  const cached = dataByPoses.get(poses);
  if (cached) return cached;
  const { joints, positions } = poses;
  let floor = Infinity;
  for (let i = 1; i < positions.length; i += 3) floor = Math.min(floor, positions[i]);
  const data = { path: smoothRootPath(poses), pose: new Float32Array(joints.length * 3), bones: bonesOf(poses), floor };
  dataByPoses.set(poses, data);
  return data;
}

/** Distance between the marks on the ground, metres. */
const GRID_SPACING = 0.5;

/** Draws a frame, which may be fractional. The root stays at one horizontal position, and the ground moves. */
export function drawSketch(
  context: CanvasRenderingContext2D,
  poses: Poses,
  frame: number,
  { width, height, rootX, yaw, pitch, pixelsPerMetre, groundY, boneWidth }: SketchView,
  colors: SketchColors,
): void {
  const { path, pose, bones, floor } = sketchDataOf(poses);
  poseAt(poses, frame, pose);
  const offset = Math.max(0, Math.min(poses.frames - 1, Math.round(frame))) * 3;
  const [x0, z0] = [path[offset], path[offset + 1]];
  const [cos, sin, sinPitch] = [Math.cos(yaw), Math.sin(yaw), Math.sin(pitch)];
  const project = (x: number, y: number, z: number): [number, number] => {
    const [dx, dz] = [x - x0, z - z0];
    return [
      rootX + (cos * dx - sin * dz) * pixelsPerMetre,
      groundY - (y - floor) * pixelsPerMetre * Math.cos(pitch) + (sin * dx + cos * dz) * pixelsPerMetre * sinPitch,
    ];
  };
  context.clearRect(0, 0, width, height);
  context.lineCap = "round";
  context.lineJoin = "round";
  drawGround(context, project, [x0, z0], floor, (width / pixelsPerMetre) * 0.75, colors.ground);
  context.strokeStyle = colors.bones;
  context.lineWidth = boneWidth;
  context.beginPath();
  for (const [a, b] of bones) {
    context.moveTo(...project(pose[a * 3], pose[a * 3 + 1], pose[a * 3 + 2]));
    context.lineTo(...project(pose[b * 3], pose[b * 3 + 1], pose[b * 3 + 2]));
  }
  context.stroke();
}

/** Draws a grid of short dashes on the ground around the figure. */
function drawGround(
  context: CanvasRenderingContext2D,
  project: (x: number, y: number, z: number) => [number, number],
  [x0, z0]: [number, number],
  floor: number,
  radius: number,
  color: string,
): void {
  context.fillStyle = color;
  const firstLine = (value: number): number => Math.ceil((value - radius) / GRID_SPACING) * GRID_SPACING;
  for (let x = firstLine(x0); x <= x0 + radius; x += GRID_SPACING)
    for (let z = firstLine(z0); z <= z0 + radius; z += GRID_SPACING) {
      const [left, top] = project(x, floor, z);
      context.fillRect(left - 1, top - 0.5, 2, 1);
    }
}

/**
 * Chooses the camera's yaw for a motion between two frames, radians: from the side if the figure travels, else
 * diagonally from the front.
 */
export function chooseYaw(poses: Poses, from: number, to: number): number {
  const root = rootOf(poses);
  const rootCoordinate = (frame: number, axis: number): number =>
    poses.positions[(Math.max(0, Math.min(poses.frames - 1, frame)) * poses.joints.length + root) * 3 + axis] ?? 0;
  const [dx, dz] = [rootCoordinate(to, 0) - rootCoordinate(from, 0), rootCoordinate(to, 2) - rootCoordinate(from, 2)];
  if (Math.hypot(dx, dz) > 0.4) return Math.atan2(-dz, dx) + 0.25;
  const [left, right] = [jointOf(poses, "LeftUpLeg"), jointOf(poses, "RightUpLeg")];
  if (left < 0 || right < 0) return Math.PI / 5;
  const middle = Math.round((from + to) / 2);
  const coordinate = (joint: number, axis: number): number =>
    poses.positions[(Math.max(0, Math.min(poses.frames - 1, middle)) * poses.joints.length + joint) * 3 + axis] ?? 0;
  return (
    Math.atan2(-(coordinate(left, 2) - coordinate(right, 2)), coordinate(left, 0) - coordinate(right, 0)) + Math.PI / 5
  );
}
