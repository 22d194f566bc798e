/** Samples an animation at any time, independent of a mixer. */
import { type AnimationClip, type Interpolant, type Object3D, PropertyBinding } from "three";
import type { Rotation, Vector } from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";

/** A method of `KeyframeTrack` that its type declarations lack. */
interface InterpolantFactory {
  createInterpolant(result?: Float32Array): Interpolant;
}

/** Poses of a motion at any time, as in its file. */
export interface PoseSource {
  /** Indices of the animated bones. */
  readonly bones: ReadonlySet<number>;
  /** Returns the pose at a time, seconds. */
  poseAt(time: number): Pose;
}

/** Evaluates a clip of three.js on a body at any time. */
export class Sampler implements PoseSource {
  readonly seconds: number;
  readonly #restPose: Pose;
  readonly #rotationTracks: [bone: number, track: Interpolant][] = [];
  readonly #positionTracks: [bone: number, track: Interpolant][] = [];

  /** `restPose`: pose of the bones that the animation does not move. */
  constructor(body: Body, root: Object3D, clip: AnimationClip, restPose: Pose) {
    this.seconds = clip.duration;
    this.#restPose = restPose;
    for (const track of clip.tracks) {
      const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
      const list = { quaternion: this.#rotationTracks, position: this.#positionTracks }[propertyName];
      const bone = list ? body.nodes.indexOf(PropertyBinding.findNode(root, nodeName) as Object3D) : -1;
      if (list && bone >= 0)
        list.push([
          bone,
          (track as unknown as InterpolantFactory).createInterpolant(new Float32Array(track.getValueSize())),
        ]);
    }
  }

  /** Indices of the animated bones. */
  get bones(): ReadonlySet<number> {
    return new Set([...this.#rotationTracks, ...this.#positionTracks].map(([bone]) => bone));
  }

  /** Returns the values of the tracks at a time, by bone: of an additive clip, the differences. */
  tracksAt(time: number): { rotations: Map<number, Rotation>; positions: Map<number, Vector> } {
    const valuesOf = (tracks: [number, Interpolant][]): Map<number, never> =>
      new Map(tracks.map(([bone, track]) => [bone, [...(track.evaluate(time) as Float32Array)] as never]));
    return { rotations: valuesOf(this.#rotationTracks), positions: valuesOf(this.#positionTracks) };
  }

  /** Returns the pose at a time, seconds. */
  poseAt(time: number): Pose {
    const pose = { rotations: [...this.#restPose.rotations], positions: [...this.#restPose.positions] };
    for (const [bone, track] of this.#rotationTracks) {
      const [x, y, z, w] = track.evaluate(time) as Float32Array;
      pose.rotations[bone] = [x, y, z, w] as unknown as Rotation;
    }
    for (const [bone, track] of this.#positionTracks) {
      const [x, y, z] = track.evaluate(time) as Float32Array;
      pose.positions[bone] = [x, y, z] as unknown as Vector;
    }
    return pose;
  }
}
