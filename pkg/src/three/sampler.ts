/** Samples an animation at any time, independent of a mixer. */
import { type AnimationClip, type Interpolant, type Object3D, PropertyBinding } from "three";
import type { Turn, Vector } from "../bones/turn.js";
import type { Body, Pose } from "./body.js";

/** `KeyframeTrack` has this member, but its types do not. */
interface Interpolated {
  createInterpolant(result?: Float32Array): Interpolant;
}

/** Evaluates a clip of three.js on a body at any time. */
export class Sampler {
  readonly seconds: number;
  readonly #home: Pose;
  readonly #turns: [bone: number, track: Interpolant][] = [];
  readonly #places: [bone: number, track: Interpolant][] = [];

  /** `home`: pose of bones that the animation does not move. */
  constructor(body: Body, root: Object3D, clip: AnimationClip, home: Pose) {
    this.seconds = clip.duration;
    this.#home = home;
    for (const track of clip.tracks) {
      const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
      const list = { quaternion: this.#turns, position: this.#places }[propertyName];
      const bone = list ? body.nodes.indexOf(PropertyBinding.findNode(root, nodeName) as Object3D) : -1;
      if (list && bone >= 0)
        list.push([bone, (track as unknown as Interpolated).createInterpolant(new Float32Array(track.getValueSize()))]);
    }
  }

  /** The animated bones. */
  get bones(): ReadonlySet<number> {
    return new Set([...this.#turns, ...this.#places].map(([bone]) => bone));
  }

  /** The pose at a time, seconds. */
  at(time: number): Pose {
    const pose = { turns: [...this.#home.turns], places: [...this.#home.places] };
    for (const [bone, track] of this.#turns) {
      const [x, y, z, w] = track.evaluate(time) as Float32Array;
      pose.turns[bone] = [x, y, z, w] as unknown as Turn;
    }
    for (const [bone, track] of this.#places) {
      const [x, y, z] = track.evaluate(time) as Float32Array;
      pose.places[bone] = [x, y, z] as unknown as Vector;
    }
    return pose;
  }
}
