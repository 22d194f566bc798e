/**
 * Rotations and world positions of a motion, read from its bytes without wasm. The arithmetic is that of the crate (glam
 * in single precision, in the same order), so the results are equal bit by bit; pkg/test/kinematics.test.mjs compares
 * them.
 */
import type { PackedMotion } from "./packed.js";

const f = Math.fround;

/** Returns the numbers of a motion from float `start` on; the layout of the bytes is in src/motion/pack.rs. */
function floats({ bytes }: PackedMotion, start: number, length: number): Float32Array {
  const headLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const offset = bytes.byteOffset + 4 + headLength + 4 * start;
  // The head has any length, so the numbers need not be aligned in the buffer.
  return new Float32Array(bytes.buffer.slice(offset, offset + 4 * length));
}

/** Returns the local rotations x, y, z, w, [frames × joints × 4]. */
export function rotationsOf(packed: PackedMotion): Float32Array {
  return floats(packed, 0, packed.frames * packed.info.joints.length * 4);
}

/** Returns the world positions, [frames × joints × 3], metres. */
export function positionsOf(packed: PackedMotion): Float32Array {
  const { frames, translated } = packed;
  const { joints } = packed.info;
  const rotations = rotationsOf(packed);
  const translations = floats(packed, rotations.length, frames * translated.length * 3);
  const parents = Int32Array.from(joints, ({ parent }) => parent);
  const slots = Int32Array.from(joints, (_, joint) => translated.indexOf(joint));
  const offsets = Float32Array.from(joints.flatMap(({ offset }) => offset));
  const positions = new Float32Array(frames * joints.length * 3);
  const world = new Float32Array(joints.length * 4);
  const local = new Float32Array(3);
  for (let frame = 0; frame < frames; frame++) {
    const first = frame * joints.length;
    for (let joint = 0; joint < joints.length; joint++) {
      const slot = slots[joint] as number;
      const isMoved = slot >= 0;
      const source = isMoved ? translations : offsets;
      const at = 3 * (isMoved ? frame * translated.length + slot : joint);
      const parent = parents[joint] as number;
      const position = 3 * (first + joint);
      for (let axis = 0; axis < 3; axis++) local[axis] = source[at + axis] as number;
      if (parent < 0) {
        positions.set(local, position);
        for (let part = 0; part < 4; part++) world[4 * joint + part] = rotations[4 * (first + joint) + part] as number;
        continue;
      }
      place(positions, position, 3 * (first + parent), world, 4 * parent, local);
      multiply(world, 4 * joint, 4 * parent, rotations, 4 * (first + joint));
    }
  }
  return positions;
}

/**
 * Writes the position of a joint: that of its parent plus `local`, rotated by the parent's world rotation. Plain numbers
 * instead of vectors, because this is the inner loop.
 */
function place(
  positions: Float32Array,
  joint: number,
  parent: number,
  world: Float32Array,
  rotation: number,
  local: Float32Array,
): void {
  const px = local[0] as number;
  const py = local[1] as number;
  const pz = local[2] as number;
  const x = world[rotation] as number;
  const y = world[rotation + 1] as number;
  const z = world[rotation + 2] as number;
  const w = world[rotation + 3] as number;
  const scale = f(f(w * w) - f(f(f(x * x) + f(y * y)) + f(z * z)));
  const along = f(f(f(f(px * x) + f(py * y)) + f(pz * z)) * 2);
  const twice = f(w * 2);
  const crossX = f(f(f(y * pz) - f(py * z)) * twice);
  const crossY = f(f(f(z * px) - f(pz * x)) * twice);
  const crossZ = f(f(f(x * py) - f(px * y)) * twice);
  positions[joint] = (positions[parent] as number) + f(f(f(px * scale) + f(x * along)) + crossX);
  positions[joint + 1] = (positions[parent + 1] as number) + f(f(f(py * scale) + f(y * along)) + crossY);
  positions[joint + 2] = (positions[parent + 2] as number) + f(f(f(pz * scale) + f(z * along)) + crossZ);
}

/** Writes the world rotation of a joint: that of its parent, times its local rotation. */
function multiply(world: Float32Array, joint: number, parent: number, rotations: Float32Array, local: number): void {
  const ax = world[parent] as number;
  const ay = world[parent + 1] as number;
  const az = world[parent + 2] as number;
  const aw = world[parent + 3] as number;
  const bx = rotations[local] as number;
  const by = rotations[local + 1] as number;
  const bz = rotations[local + 2] as number;
  const bw = rotations[local + 3] as number;
  world[joint] = f(f(f(aw * bx) + f(ax * bw)) + f(f(ay * bz) - f(az * by)));
  world[joint + 1] = f(f(f(aw * by) - f(ax * bz)) + f(f(ay * bw) + f(az * bx)));
  world[joint + 2] = f(f(f(aw * bz) + f(ax * by)) + f(f(az * bw) - f(ay * bx)));
  world[joint + 3] = f(f(f(aw * bw) - f(ax * bx)) + f(-f(ay * by) - f(az * bz)));
}
