/** Poses of a moving model, and poses without the movement over the ground. */
import type { Object3D } from "three";
import type { Character, Local } from "../bones/character.js";
import type { Placed } from "../bones/rest.js";
import { back, between as slerp, minus, plus, times, turned, type Turn, unit, type Vector } from "../bones/turn.js";
import { KinestitchError } from "../core/error.js";
import { type Ground, headingOf, seenFrom } from "./ground.js";
import { Skeleton } from "./skeleton.js";

/** Local rotations and positions of bones. */
export interface Pose {
  turns: Turn[];
  places: Vector[];
}

/** Parts of the body shorter than this share of its height (fingers, twist bones) are no landmarks. */
const SHORTEST = 0.04;

/** Smallest squared vertical part of the hips' rotation for which a heading is defined: tilts up to 113 degrees. */
const UPRIGHT = 0.3;

const over = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x / a, y / b, z / c];
const stretched = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x * a, y * b, z * c];

/** The bones of a three.js object, and the role of each. */
export class Body {
  readonly nodes: readonly Object3D[];
  readonly character: Character;
  /** Index of the bone at the top of the body. */
  readonly hips: number;
  /** Joints whose positions distinguish poses. */
  readonly landmarks: readonly number[];
  readonly #parents: readonly number[];
  readonly #skeleton: Skeleton;

  /**
   * @param root Object on the ground.
   * @param bones Object with the bones, if they belong to no skin.
   * @param hips Name of the bone at the top of the body; default: the first with more than one child.
   */
  constructor(root: Object3D, bones?: Object3D, hips?: string) {
    const animated = new Set<Object3D>();
    bones?.traverse((node) => node !== bones && animated.add(node));
    this.#skeleton = new Skeleton(bones ?? root, animated);
    this.nodes = this.#skeleton.nodes;
    this.character = this.#skeleton.character();
    const { bones: resting } = this.character.rest;
    this.#parents = resting.map(({ parent }) => parent);
    this.hips = hips === undefined ? this.#branching() : this.nodes.findIndex(({ name }) => name === hips);
    if (this.hips < 0)
      throw new KinestitchError("option", `"${hips}" is no bone of "${root.name || root.type}"`, { option: "hips" });
    this.landmarks = this.#landmarks();
  }

  #branching(): number {
    const children = this.#parents.map((_, bone) => this.#parents.filter((parent) => parent === bone).length);
    return Math.max(
      0,
      children.findIndex((count) => count > 1),
    );
  }

  #landmarks(): number[] {
    const { bones } = this.character.rest;
    const heights = bones.map(({ place }) => place[1]);
    const shortest = SHORTEST * (Math.max(...heights) - Math.min(...heights));
    const long = bones.flatMap(({ parent, place }, i) => {
      const above = bones[parent];
      return above && Math.hypot(...minus(place, above.place)) < shortest ? [] : [i];
    });
    return long.filter((bone) => bone !== this.hips);
  }

  /** Index of a bone by its name in `character`; -1 for none. */
  named(name: string | null | undefined): number {
    return this.character.rest.bones.findIndex((bone) => bone.name === name);
  }

  parentOf(bone: number): number {
    return this.#parents[bone] as number;
  }

  /** Reads the current pose of the bones. */
  read(): Pose {
    return {
      turns: this.nodes.map(({ quaternion: { x, y, z, w } }): Turn => [x, y, z, w]),
      places: this.nodes.map(({ position: { x, y, z } }): Vector => [x, y, z]),
    };
  }

  /** Applies a pose to the bones. */
  write({ turns, places }: Pose): void {
    this.nodes.forEach((node, i) => {
      node.quaternion.set(...(turns[i] as Turn));
      node.position.set(...(places[i] as Vector));
    });
  }

  /** World transform of a bone relative to the model's ground. */
  worldOf(pose: Pose, bone: number): Placed {
    return this.#under(this.#holder(pose, bone), pose, bone);
  }

  #holder(pose: Pose, bone: number): Local {
    const parent = this.#parents[bone] as number;
    const held = this.character.held[bone];
    if (held || parent < 0) return held as Local;
    return { ...this.worldOf(pose, parent), scale: this.character.scales[parent] as Vector };
  }

  #under({ place, turn, scale }: Local, pose: Pose, bone: number): Placed {
    return {
      place: plus(place, turned(turn, stretched(scale, pose.places[bone] as Vector))),
      turn: times(turn, pose.turns[bone] as Turn),
    };
  }

  /** World transforms of all bones relative to the model's ground. */
  worlds(pose: Pose): Placed[] {
    const worlds: Placed[] = [];
    this.#parents.forEach((parent, bone) => {
      const holder = this.character.held[bone] ?? {
        ...(worlds[parent] as Placed),
        scale: this.character.scales[parent] as Vector,
      };
      worlds.push(this.#under(holder, pose, bone));
    });
    return worlds;
  }

  /** Ground position and heading of the hips; the heading of an overturned body is `undefined`. */
  hipsOver(pose: Pose): { x: number; z: number; heading: number | undefined } {
    const { place, turn } = this.worldOf(pose, this.hips);
    const rest = this.character.rest.bones[this.hips] as Placed;
    const turned = times(turn, back(rest.turn));
    const isUpright = turned[1] ** 2 + turned[3] ** 2 > UPRIGHT;
    return { x: place[0], z: place[2], heading: isUpright ? headingOf(turned) : undefined };
  }

  /** Difference in heading between two poses that differ in nothing else. */
  headingBetween(from: Pose, to: Pose): number {
    return headingOf(times(this.worldOf(to, this.hips).turn, back(this.worldOf(from, this.hips).turn)));
  }

  /** The pose relative to a ground pose: without the movement over the ground. */
  seenFrom(pose: Pose, ground: Ground): Pose {
    const seen = { turns: [...pose.turns], places: [...pose.places] };
    this.#parents.forEach((parent, bone) => {
      if (parent >= 0) return;
      const { place, turn } = this.worldOf(pose, bone);
      this.stand(seen, bone, ...seenFrom(ground, turn, place));
    });
    return seen;
  }

  /** Sets the world transform of a bone in a pose, relative to the model's ground. */
  stand(pose: Pose, bone: number, turn: Turn, place?: Vector): void {
    const holder = this.#holder(pose, bone);
    pose.turns[bone] = unit(times(back(holder.turn), turn));
    if (place) pose.places[bone] = over(turned(back(holder.turn), minus(place, holder.place)), holder.scale);
  }
}

/** Interpolates between two poses along the shorter arc. */
export const blended = (a: Pose, b: Pose, share: number): Pose => ({
  turns: a.turns.map((turn, i) => slerp(turn, b.turns[i] as Turn, share)),
  places: a.places.map(([x, y, z], i) => {
    const [bx, by, bz] = b.places[i] as Vector;
    return [x + (bx - x) * share, y + (by - y) * share, z + (bz - z) * share];
  }),
});
