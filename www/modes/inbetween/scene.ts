/**
 * Contents of the stage: the motion, the keys as ghosts with handles, the other variants, the candidates, and plain
 * interpolation for comparison.
 */
import type { Clip } from "../../core/engine";
import { clipColor } from "../../viewer/palette";
import type { Handles, GroundPose } from "../../viewer/handles";
import type { LiveSkeleton } from "../../viewer/live-skeleton";
import { poseAt, rootOf, skeletonOf, type DisplayedMotion, type Skeleton } from "../../viewer/poses";
import type { StageContents } from "../../viewer/stage-contents";
import type { CandidateMotion, GroundPath } from "./candidates";
import type { Inbetween } from "./inbetween";
import { VARIANTS } from "./document";
import type { SolvedMotion } from "./solver";

const PLAIN_COLOR = "#8a94ab";
const DRAGGED_COLOR = "#7f9bd6";
/** Colours of the variants. */
const VARIANT_COLORS = ["#c98a4b", "#5fae8b", "#a779c9"];
/** Distance of the other variants from the chosen one, in heights of the figure. */
const VARIANT_DISTANCE = 0.5;

/** Creates the contents of the stage. Live skeletons are kept, because the viewer creates a figure for each new one. */
export class Scene {
  #mode: Inbetween;
  /** Source of the first key, and its version. All figures have the skeleton of this key. */
  #skeletonKey = "";
  #skeleton: Skeleton | undefined;
  #ghosts = new Map<string, LiveSkeleton>();
  /** Figure of the motion while a key is dragged. */
  #dragged: LiveSkeleton | undefined;
  #plain: LiveSkeleton | undefined;
  #variants: LiveSkeleton[] = [];
  /** The last result of `#displayOf`. */
  #display: { solved: SolvedMotion; displayed: DisplayedMotion } | undefined;
  #candidateSkeletons = new Map<CandidateMotion, [still: LiveSkeleton, moving: LiveSkeleton]>();

  constructor(mode: Inbetween) {
    this.#mode = mode;
  }

  /** Returns the contents of the stage. */
  contents(): StageContents {
    const mode = this.#mode;
    const { solved } = mode;
    if (!solved) return {};
    const skeleton = this.#updateSkeleton(solved);
    const { ghosts } = mode.app.settings;
    const keys = mode.document.keys.filter(({ id }) => mode.groundPoseOf(id));
    const liveSkeletons = [
      ...(mode.dragging
        ? [(this.#dragged ??= this.#motionSkeleton(skeleton, () => mode.solved, DRAGGED_COLOR, false))]
        : []),
      ...(ghosts ? keys.map(({ id, color }) => this.#keyGhost(skeleton, id, clipColor(color))) : []),
      ...(mode.showsPlain || mode.dragging
        ? []
        : mode.variants
            .others(mode.document)
            .map(
              ({ variant, solved }) => (this.#variants[variant] ??= this.#variantSkeleton(skeleton, variant, solved)),
            )),
      ...this.#candidates(skeleton),
      ...(ghosts && !mode.candidates.motions.length && mode.plain.solved && mode.solved !== mode.plain.solved
        ? [(this.#plain ??= this.#motionSkeleton(skeleton, () => mode.plain.solved, PLAIN_COLOR, true))]
        : []),
    ];
    return {
      a: mode.dragging ? undefined : this.#displayOf(solved),
      liveSkeletons,
      handles: this.#handles(skeleton),
    };
  }

  /** Returns the skeleton of the first key. If it has changed, discards all objects of the previous skeleton. */
  #updateSkeleton(solved: SolvedMotion): Skeleton {
    const first = solved.document.keys[0];
    const key = `${first?.source} ${this.#mode.sourceOf(first)?.version}`;
    if (key === this.#skeletonKey && this.#skeleton) return this.#skeleton;
    this.#skeletonKey = key;
    this.#ghosts.clear();
    this.#candidateSkeletons.clear();
    this.#dragged = this.#plain = undefined;
    this.#variants = [];
    return (this.#skeleton = skeletonOf(solved.motion));
  }

  /** Returns a motion with the colours of its keys and the frames of its gaps, for the stage. */
  #displayOf(solved: SolvedMotion): DisplayedMotion {
    if (this.#display?.solved === solved) return this.#display.displayed;
    const { motion, clip, document } = solved;
    const displayed: DisplayedMotion = {
      motion,
      // A motion that was solved during a drag has no clip.
      ...("retarget" in clip && { clip: clip as unknown as Clip }),
      contact: motion.curves.contact,
      segments: document.keys.map(({ color }, i) => ({ start: clip.keys[i]?.from ?? 0, color: clipColor(color) })),
      seams: clip.gaps.map(({ range }) => ({ frame: range.from, editedRange: range })),
      hidesSeamMarks: true,
    };
    this.#display = { solved, displayed };
    return displayed;
  }

  /** Returns a figure of a motion in the current frame. */
  #motionSkeleton(
    skeleton: Skeleton,
    solved: () => SolvedMotion | undefined,
    color: string,
    isFaint: boolean,
  ): LiveSkeleton {
    return {
      skeleton,
      color,
      isFaint,
      pose: (frame, out) => {
        const motion = solved()?.motion;
        if (!motion || motion.joints.length !== skeleton.joints.length) return false;
        poseAt(motion, frame, out);
        return true;
      },
    };
  }

  /** Returns a figure of another variant, to the left or right of the chosen variant. */
  #variantSkeleton(skeleton: Skeleton, variant: number, solved: () => SolvedMotion | undefined): LiveSkeleton {
    const mode = this.#mode;
    const unshifted = this.#motionSkeleton(skeleton, solved, VARIANT_COLORS[variant] ?? PLAIN_COLOR, false);
    return {
      ...unshifted,
      pose: (frame, out) => {
        if (!unshifted.pose(frame, out)) return false;
        const [first, last] = [mode.result.solved?.clip.groundPoses[0], mode.result.solved?.clip.groundPoses.at(-1)];
        const [dx, dz] = [(last?.x ?? 0) - (first?.x ?? 0), (last?.z ?? 0) - (first?.z ?? 0)];
        const length = Math.hypot(dx, dz);
        // Sideways to the direction of motion; along x if the motion ends within 10 cm of its start.
        const [sideX, sideZ] = length > 0.1 ? [-dz / length, dx / length] : [1, 0];
        const distance =
          skeleton.height * VARIANT_DISTANCE * ((variant - mode.document.variant + VARIANTS) % VARIANTS === 1 ? 1 : -1);
        for (let i = 0; i < out.length; i += 3) {
          out[i] += sideX * distance;
          out[i + 2] += sideZ * distance;
        }
        return true;
      },
    };
  }

  /** Returns a ghost in the first pose of a key, at the current ground pose of the key. */
  #keyGhost(skeleton: Skeleton, id: string, color: string): LiveSkeleton {
    const existing = this.#ghosts.get(id);
    if (existing?.color === color) return existing;
    const mode = this.#mode;
    const ghost: LiveSkeleton = {
      skeleton,
      color,
      isFaint: true,
      pose: (frame, out) => {
        const { solved } = mode.result;
        const index = solved?.document.keys.findIndex((key) => key.id === id) ?? -1;
        const range = solved?.clip.keys[index];
        const [from, to] = [solved?.clip.groundPoses[index], mode.groundPoseOf(id)];
        if (!solved || !range || !from || !to) return false;
        // Hidden within the frames of the key, in which the figure itself has this pose.
        if (frame > range.from - 1 && frame < range.to && !mode.dragging) return false;
        poseAt(solved.motion, range.from, out);
        movePose(out, from, to);
        return true;
      },
    };
    this.#ghosts.set(id, ghost);
    return ghost;
  }

  /** Returns the candidates: the previewed one in motion, the others as ghosts in their middle frames. */
  #candidates(skeleton: Skeleton): LiveSkeleton[] {
    const { motions, previewed } = this.#mode.candidates;
    for (const motion of this.#candidateSkeletons.keys())
      if (!motions.includes(motion)) this.#candidateSkeletons.delete(motion);
    return motions.map((motion, index) => {
      const [still, moving] = this.#candidateSkeletons.get(motion) ?? [
        candidateSkeleton(skeleton, motion, clipColor(index), false),
        candidateSkeleton(skeleton, motion, clipColor(index), true),
      ];
      this.#candidateSkeletons.set(motion, [still, moving]);
      return previewed === index ? moving : still;
    });
  }

  #handles(skeleton: Skeleton): Handles {
    const mode = this.#mode;
    const { motion } = mode.result.solved ?? {};
    const list = mode.document.keys.flatMap(({ id, color }) => {
      const groundPose = mode.groundPoseOf(id);
      return groundPose ? [{ ...groundPose, id, color: clipColor(color), selected: id === mode.selected }] : [];
    });
    // Index of the root's position in the last frame.
    const endIndex = motion ? (motion.frames - 1) * motion.joints.length * 3 + rootOf(motion) * 3 : 0;
    return {
      height: skeleton.height,
      list,
      framedPoints: motion ? [...list, { x: motion.positions[endIndex], z: motion.positions[endIndex + 2] }] : list,
      onSelect: (id) => {
        mode.history.seal();
        mode.select(id);
      },
      ...(mode.candidates.isDrawing &&
        mode.candidates.isPossible && {
          onGround: (x: number, z: number) => mode.candidates.setDrawnPath([...mode.candidates.drawnPath, [x, z]]),
        }),
      onMove: (id, groundPose, done) => {
        mode.dragging = !done;
        // The whole drag is one undo step.
        mode.placeKey(id, groundPose, "move a key", Infinity);
        if (done) mode.history.seal();
      },
    };
  }
}

/** Number of points at which a path is drawn. */
const PATH_POINTS = 13;

/** Samples a path for the viewer: x, z and direction as a unit vector, [points × 4]. */
function samplePath(path: GroundPath): Float32Array {
  const out = new Float32Array(PATH_POINTS * 4);
  const pointAt = (fraction: number): readonly [number, number] =>
    path[Math.round(Math.max(0, Math.min(1, fraction)) * (path.length - 1))] ?? [0, 0];
  for (let i = 0; i < PATH_POINTS; i++) {
    const fraction = i / (PATH_POINTS - 1);
    const [[x, z], previous, next] = [pointAt(fraction), pointAt(fraction - 0.05), pointAt(fraction + 0.05)];
    const [dx, dz] = [next[0] - previous[0], next[1] - previous[1]];
    const length = Math.hypot(dx, dz) || 1;
    out.set([x, z, dx / length, dz / length], i * 4);
  }
  return out;
}

/** Returns a figure of a candidate. If `isMoving`, it repeats the motion; otherwise it shows the middle frame. */
function candidateSkeleton(
  skeleton: Skeleton,
  { poses, path }: CandidateMotion,
  color: string,
  isMoving: boolean,
): LiveSkeleton {
  return {
    skeleton,
    color,
    isFaint: !isMoving,
    path: samplePath(path),
    pose: (frame, out) => {
      if (poses.joints.length !== skeleton.joints.length) return false;
      poseAt(poses, isMoving ? frame % poses.frames : (poses.frames - 1) / 2, out);
      return true;
    },
  };
}

/** Moves and turns a pose from one ground pose to another. `pose`: world positions, [joints × 3]. */
function movePose(pose: Float32Array, from: GroundPose, to: GroundPose): void {
  const [cos, sin] = [Math.cos(to.heading - from.heading), Math.sin(to.heading - from.heading)];
  for (let i = 0; i < pose.length; i += 3) {
    const [x, z] = [pose[i] - from.x, pose[i + 2] - from.z];
    pose[i] = to.x + cos * x + sin * z;
    pose[i + 2] = to.z + cos * z - sin * x;
  }
}
