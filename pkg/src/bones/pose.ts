/** The bones of a character, and the conversion of world transforms to the local transforms of its nodes. */
import {
  applyLinear,
  applyMatrix,
  compose,
  decompose,
  invertMatrix,
  type Matrices,
  multiplyMatrices,
  positionOf,
  rotationOf,
} from "./matrix.js";
import type { RestPose, Transform } from "./rest.js";
import { invert, multiply, type Rotation, subtract, type Vector } from "./rotation.js";

/** Position, rotation and scale of a node, relative to its parent or in the world. */
export interface ScaledTransform extends Transform {
  scale: Vector;
}

/** A bone as a node of its file or scene. */
export interface CharacterBone {
  /** Position in its parent. */
  translation: Vector;
  /** Scale in its parent; motions do not change it. */
  scale: Vector;
  /** World matrix of the parent node, of root bones only. */
  parent?: Matrices;
}

/** The bones of a character in a file or a scene: their rest pose, and values that convert motions to these bones. */
export interface Character {
  rest: RestPose;
  bones: readonly CharacterBone[];
  /** World matrix of each bone at rest, with its scale and skew, 16 numbers each. */
  matrices: Matrices;
  /** Height of the lowest point of the body at rest, in units of the positions. */
  lowest: number;
}

/** Returns the world matrices at rest. `worlds`: current world matrices, whose scale and skew the bones keep. */
export function restMatrices({ bones }: RestPose, worlds: Matrices): Matrices {
  const matrices = worlds.slice();
  const turn = new Float64Array(16);
  bones.forEach(({ position, rotation }, bone) => {
    const current = rotationOf(worlds, bone * 16);
    if (current) {
      compose(turn, 0, [0, 0, 0], multiply(rotation, invert(current)), [1, 1, 1]);
      multiplyMatrices(matrices, bone * 16, [turn, 0], [worlds, bone * 16]);
    }
    matrices.set(position, bone * 16 + 12);
  });
  return matrices;
}

/** Returns the world transform of the parent node of each root bone; `undefined` for other bones. */
export const rootParentsOf = ({ bones }: Character): (ScaledTransform | undefined)[] =>
  bones.map(({ parent }) => parent && decompose(parent));

/** Returns the world scale of each bone. */
export const scalesOf = ({ bones, matrices }: Character): Vector[] =>
  bones.map((_, bone) => decompose(matrices, bone * 16).scale);

/**
 * Calls `put` with the rotation and the position of each bone in its parent node, from world transforms; the position is
 * `undefined` for bones that do not move in their parent (`moves`). `removedTravel` is subtracted from all positions.
 */
export function computeLocals(
  character: Character,
  pose: readonly Transform[],
  removedTravel: Vector,
  put: (bone: number, rotation: Rotation, position: Vector | undefined) => void,
): void {
  const { rest, bones, matrices } = character;
  // The matrices that the nodes will have: a child is placed in its parent as it will be, so that errors do not add up.
  const worlds = new Float64Array(bones.length * 16);
  const [turn, wanted, local] = [new Float64Array(16), new Float64Array(16), new Float64Array(16)];
  rest.bones.forEach(({ parent, moves, rotation: restRotation }, bone) => {
    const { translation, scale, parent: rootParent } = bones[bone] as CharacterBone;
    const parentWorld: readonly [Matrices, number] = rootParent ? [rootParent, 0] : [worlds, parent * 16];
    const { position, rotation } = pose[bone] as Transform;
    compose(turn, 0, [0, 0, 0], multiply(rotation, invert(restRotation)), [1, 1, 1]);
    multiplyMatrices(wanted, 0, [turn, 0], [matrices, bone * 16]);
    wanted.set(subtract(position, removedTravel), 12);
    const inverse = invertMatrix(parentWorld[0], parentWorld[1]);
    const localRotation = inverse
      ? localRotationOf(inverse, wanted, scale, local)
      : multiply(invert(rotationOf(parentWorld[0], parentWorld[1]) ?? [0, 0, 0, 1]), rotation);
    const localPosition = moves && inverse ? applyMatrix(inverse, 0, positionOf(wanted)) : undefined;
    compose(local, 0, localPosition ?? translation, localRotation, scale);
    multiplyMatrices(worlds, bone * 16, parentWorld, [local, 0]);
    put(bone, localRotation, localPosition);
  });
}

/** Returns the rotation of a node with a scale that comes nearest to a world matrix. `inverse`: of the parent's matrix. */
function localRotationOf(inverse: Matrices, wanted: Matrices, scale: Vector, local: Matrices): Rotation {
  multiplyMatrices(local, 0, [inverse, 0], [wanted, 0]);
  scale.forEach((factor, column) => {
    for (let row = 0; row < 3; row++) local[column * 4 + row] = (local[column * 4 + row] as number) / (factor || 1);
  });
  return rotationOf(local) ?? [0, 0, 0, 1];
}

/** Returns the largest factor by which a bone's parent scales positions. */
export function parentScale({ bones, matrices, rest }: Character, bone: number): number {
  const { parent } = bones[bone] as CharacterBone;
  const index = (rest.bones[bone] as RestPose["bones"][number]).parent;
  const [matrix, offset]: readonly [Matrices, number] = parent ? [parent, 0] : [matrices, index * 16];
  const axes: Vector[] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  return Math.max(...axes.map((axis) => Math.hypot(...applyLinear(matrix, offset, axis))), Number.MIN_VALUE);
}
