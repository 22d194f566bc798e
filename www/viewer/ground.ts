/** Marks on the ground: the root's path and footprints. They are built once per motion, not per frame. */
import {
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  DoubleSide,
  type Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Sprite,
  Vector3,
} from "three";
import { jointOf, rootOf, type DisplayedMotion } from "./poses";

/**
 * Material options of marks on the ground. Both sides have the same colour, so one pass draws both; two passes, the
 * default, would need two programs.
 */
export const TRANSPARENT = { transparent: true, depthWrite: false, side: DoubleSide, forceSinglePass: true } as const;

/** Path, footprints and seams are shown up to this time before and after the playhead, seconds. */
export const SHOWN_SECS = 8;

/** A ribbon along the root's path, in the colours of the segments. */
export class Path {
  readonly mesh: Mesh;
  /** Frame of each point. */
  #frames: number[] = [];
  #shownFrames: number;

  constructor(displayed: DisplayedMotion, height: number) {
    const { motion, segments } = displayed;
    this.#shownFrames = SHOWN_SECS * motion.fps;
    const root = rootOf(motion);
    const joints = motion.joints.length;
    const points: { x: number; z: number }[] = [];
    const minDistance = 0.012 * height;
    for (let frame = 0; frame < motion.frames; frame++) {
      const offset = (frame * joints + root) * 3;
      const point = { x: motion.positions[offset], z: motion.positions[offset + 2] };
      const last = points.at(-1);
      if (last && Math.hypot(point.x - last.x, point.z - last.z) < minDistance) continue;
      points.push(point);
      this.#frames.push(frame);
    }
    const vertices = new Float32Array(points.length * 6);
    const colors = new Float32Array(points.length * 6);
    const index: number[] = [];
    const color = new Color();
    const halfWidth = 0.0075 * height;
    points.forEach((point, i) => {
      const previous = points[Math.max(0, i - 1)];
      const next = points[Math.min(points.length - 1, i + 1)];
      const [dx, dz] = [next.x - previous.x, next.z - previous.z];
      const length = Math.hypot(dx, dz) || 1;
      const [nx, nz] = [(-dz / length) * halfWidth, (dx / length) * halfWidth];
      vertices.set([point.x + nx, 0, point.z + nz, point.x - nx, 0, point.z - nz], i * 6);
      color.set(segments.findLast((segment) => segment.start <= this.#frames[i])?.color ?? "#8a94ab");
      colors.set([color.r, color.g, color.b, color.r, color.g, color.b], i * 6);
      if (i > 0) index.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i);
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(vertices, 3));
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    geometry.setIndex(index);
    this.mesh = new Mesh(geometry, new MeshBasicMaterial({ ...TRANSPARENT, vertexColors: true, opacity: 0.75 }));
    this.mesh.position.y = 0.003 * height;
    this.mesh.frustumCulled = false;
  }

  /** Shows the part of the path near a frame. */
  show(frame: number): void {
    const from = firstAtLeast(this.#frames, frame - this.#shownFrames);
    const to = firstAtLeast(this.#frames, frame + this.#shownFrames);
    this.mesh.geometry.setDrawRange(from * 6, Math.max(0, to - 1 - from) * 6);
  }
}

/** Returns the index of the first number in an ascending list that is at least `min`. */
function firstAtLeast(ascending: number[], min: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < min) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A footprint: the contact of a foot in the frames `from` to `to`, both included. `x`, `z`: position on the ground,
 * metres. `heading`: radians from +z towards +x.
 */
interface Footprint {
  /** Index of the foot: 0 left, 1 right. */
  side: number;
  from: number;
  to: number;
  x: number;
  z: number;
  heading: number;
}

/** Finds the contacts of at least three frames, each with the position and heading of the foot in its middle frame. */
function findFootprints(displayed: DisplayedMotion): Footprint[] {
  const footprints: Footprint[] = [];
  const { motion, contact } = displayed;
  const joints = motion.joints.length;
  contact.forEach((touches, side) => {
    const name = side === 0 ? "Left" : "Right";
    const foot = jointOf(motion, `${name}Foot`);
    const toe = jointOf(motion, `${name}Toe`);
    if (foot < 0) return;
    const groundPosition = (joint: number, frame: number): [number, number] => {
      const offset = (frame * joints + joint) * 3;
      return [motion.positions[offset], motion.positions[offset + 2]];
    };
    for (let from = 0; from < motion.frames; from++) {
      if (!touches[from]) continue;
      let to = from;
      while (to + 1 < motion.frames && touches[to + 1]) to++;
      const middle = Math.floor((from + to) / 2);
      const [fx, fz] = groundPosition(foot, middle);
      const [tx, tz] = toe < 0 ? [fx, fz] : groundPosition(toe, middle);
      if (to - from >= 2)
        footprints.push({ side, from, to, x: (fx + tx) / 2, z: (fz + tz) / 2, heading: Math.atan2(tx - fx, tz - fz) });
      from = to;
    }
  });
  return footprints;
}

/** Maximum number of footprints that are drawn. */
const MAX_FOOTPRINTS = 160;

/** Footprints near the playhead. Footprints of feet in contact are highlighted. */
export class Footprints {
  readonly mesh: InstancedMesh;
  #footprints: Footprint[];
  #shownFrames: number;
  #height: number;
  #plainColor = new Color();
  #contactColor = new Color();
  #matrix = new Matrix4();
  #size = new Vector3();

  constructor(displayed: DisplayedMotion, height: number) {
    this.#footprints = findFootprints(displayed).sort((a, b) => a.from - b.from);
    this.#shownFrames = SHOWN_SECS * displayed.motion.fps;
    this.#height = height;
    this.#size.set(0.024 * height, 1, 0.06 * height);
    const geometry = new CircleGeometry(1, 20).rotateX(-Math.PI / 2);
    this.mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ ...TRANSPARENT, opacity: 0.5 }), MAX_FOOTPRINTS);
    this.mesh.count = 0;
    this.mesh.frustumCulled = false;
  }

  setColors(plain: string, contact: string): void {
    this.#plainColor.set(plain);
    this.#contactColor.set(contact);
  }

  show(frame: number): void {
    let count = 0;
    for (const footprint of this.#footprints) {
      if (footprint.to < frame - this.#shownFrames || count >= MAX_FOOTPRINTS) continue;
      if (footprint.from > frame + this.#shownFrames) break;
      this.#matrix.makeRotationY(footprint.heading).scale(this.#size);
      this.mesh.setMatrixAt(count, this.#matrix.setPosition(footprint.x, 0.0045 * this.#height, footprint.z));
      this.mesh.setColorAt(
        count++,
        footprint.from <= frame && frame <= footprint.to ? this.#contactColor : this.#plainColor,
      );
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Removes marks from the scene, and frees their GPU resources. */
export function disposeMarks(...marks: (Mesh | Group | undefined)[]): void {
  for (const mark of marks) {
    mark?.removeFromParent();
    mark?.traverse((object) => {
      if (object instanceof InstancedMesh) object.dispose();
      if (object instanceof Mesh || object instanceof Sprite) {
        object.geometry.dispose();
        if (object instanceof Sprite) object.material.map?.dispose();
        for (const material of [object.material].flat()) (material as MeshBasicMaterial).dispose();
      }
    });
  }
}
