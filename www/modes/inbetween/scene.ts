/** Contents of the stage: the motion, the keys as ghosts to drag, and plain interpolation beside them. */
import type { WorkerClip } from "../../core/engine";
import { clipColor } from "../../viewer/palette";
import type { Handles, GroundPose } from "../../viewer/handles";
import type { LiveSkeleton } from "../../viewer/live-skeleton";
import { poseAt, rootOf, skeletonOf, type DisplayedMotion, type Skeleton } from "../../viewer/poses";
import type { StageContents } from "../../viewer/stage-contents";
import type { CandidateMotion, Line } from "./candidates";
import type { Inbetween } from "./inbetween";
import { VARIANTS } from "./document";
import type { SolvedMotion } from "./solver";

const PLAIN_COLOR = "#8a94ab";
const DRAGGED_COLOR = "#7f9bd6";
/** Colours of the three variants, and their distance, in body heights. */
const VARIANT_COLORS = ["#c98a4b", "#5fae8b", "#a779c9"];
const BESIDE = 0.5;

/** Contents of the stage, kept between two drawings. */
export class Scene {
  #mode: Inbetween;
  /** Skeleton of the figures: the skeleton of the first key. */
  #of = "";
  #skeleton: Skeleton | undefined;
  #ghosts = new Map<string, LiveSkeleton>();
  #result: LiveSkeleton | undefined;
  #plain: LiveSkeleton | undefined;
  #variants: LiveSkeleton[] = [];
  #show: { solved: SolvedMotion; show: DisplayedMotion } | undefined;
  #found = new Map<CandidateMotion, [still: LiveSkeleton, moving: LiveSkeleton]>();

  constructor(mode: Inbetween) {
    this.#mode = mode;
  }

  scenery(): StageContents {
    const mode = this.#mode;
    const { solved } = mode;
    if (!solved) return {};
    const skeleton = this.#fit(solved);
    const { ghosts } = mode.app.settings;
    const keys = mode.document.keys.filter(({ id }) => mode.spotOf(id));
    const lives = [
      ...(mode.dragging ? [(this.#result ??= this.#moving(skeleton, () => mode.solved, DRAGGED_COLOR, false))] : []),
      ...(ghosts ? keys.map(({ id, color }) => this.#ghost(skeleton, id, clipColor(color))) : []),
      ...(mode.shownPlain || mode.dragging
        ? []
        : mode.variants
            .others(mode.document)
            .map(({ variant, solved }) => (this.#variants[variant] ??= this.#beside(skeleton, variant, solved)))),
      ...this.#candidates(skeleton),
      ...(ghosts && !mode.candidates.found.length && mode.plain.solved && mode.solved !== mode.plain.solved
        ? [(this.#plain ??= this.#moving(skeleton, () => mode.plain.solved, PLAIN_COLOR, true))]
        : []),
    ];
    return {
      a: mode.dragging ? undefined : this.#showOf(solved),
      liveSkeletons: lives,
      handles: this.#handles(skeleton),
    };
  }

  /** Rebuilds everything for another skeleton. */
  #fit(solved: SolvedMotion): Skeleton {
    const first = solved.document.keys[0];
    const of = `${first?.source} ${this.#mode.sourceOf(first)?.version}`;
    if (of === this.#of && this.#skeleton) return this.#skeleton;
    this.#of = of;
    this.#ghosts.clear();
    this.#found.clear();
    this.#result = this.#plain = undefined;
    this.#variants = [];
    return (this.#skeleton = skeletonOf(solved.motion));
  }

  #showOf(solved: SolvedMotion): DisplayedMotion {
    if (this.#show?.solved === solved) return this.#show.show;
    const { motion, clip, document } = solved;
    const show: DisplayedMotion = {
      motion,
      // During a drag there is no clip, only the drawn motion.
      ...("retarget" in clip && { clip: clip as unknown as WorkerClip }),
      contact: motion.curves.contact,
      segments: document.keys.map(({ color }, i) => ({ start: clip.keys[i]?.from ?? 0, color: clipColor(color) })),
      seams: clip.gaps.map(({ range }) => ({ frame: range.from, editedRange: range })),
      hidesSeamMarks: true,
    };
    this.#show = { solved, show };
    return show;
  }

  /** A figure that follows the clock. */
  #moving(skeleton: Skeleton, solved: () => SolvedMotion | undefined, color: string, faint: boolean): LiveSkeleton {
    return {
      skeleton,
      color,
      isFaint: faint,
      pose: (frame, out) => {
        const motion = solved()?.motion;
        if (!motion || motion.joints.length !== skeleton.joints.length) return false;
        poseAt(motion, frame, out);
        return true;
      },
    };
  }

  /** Another variant, beside the chosen one. */
  #beside(skeleton: Skeleton, variant: number, solved: () => SolvedMotion | undefined): LiveSkeleton {
    const mode = this.#mode;
    const moving = this.#moving(skeleton, solved, VARIANT_COLORS[variant] ?? PLAIN_COLOR, false);
    return {
      ...moving,
      pose: (frame, out) => {
        if (!moving.pose(frame, out)) return false;
        const [first, last] = [mode.result.solved?.clip.groundPoses[0], mode.result.solved?.clip.groundPoses.at(-1)];
        const [dx, dz] = [(last?.x ?? 0) - (first?.x ?? 0), (last?.z ?? 0) - (first?.z ?? 0)];
        const length = Math.hypot(dx, dz);
        const [x, z] = length > 0.1 ? [-dz / length, dx / length] : [1, 0];
        const by = skeleton.height * BESIDE * ((variant - mode.document.way + VARIANTS) % VARIANTS === 1 ? 1 : -1);
        for (let at = 0; at < out.length; at += 3) {
          out[at] += x * by;
          out[at + 2] += z * by;
        }
        return true;
      },
    };
  }

  /** A key's first pose, at its present ground pose. */
  #ghost(skeleton: Skeleton, id: string, color: string): LiveSkeleton {
    const known = this.#ghosts.get(id);
    if (known?.color === color) return known;
    const mode = this.#mode;
    const live: LiveSkeleton = {
      skeleton,
      color,
      isFaint: true,
      pose: (frame, out) => {
        const { solved } = mode.result;
        const at = solved?.document.keys.findIndex((key) => key.id === id) ?? -1;
        const range = solved?.clip.keys[at];
        const [from, to] = [solved?.clip.groundPoses[at], mode.spotOf(id)];
        if (!solved || !range || !from || !to) return false;
        if (frame > range.from - 1 && frame < range.to && !mode.dragging) return false;
        poseAt(solved.motion, range.from, out);
        carry(out, from, to);
        return true;
      },
    };
    this.#ghosts.set(id, live);
    return live;
  }

  /** The candidates: ghosts at the middle of their paths, and the previewed one in motion. */
  #candidates(skeleton: Skeleton): LiveSkeleton[] {
    const { found, seen } = this.#mode.candidates;
    for (const one of this.#found.keys()) if (!found.includes(one)) this.#found.delete(one);
    return found.map((one, index) => {
      let lives = this.#found.get(one);
      if (!lives)
        this.#found.set(
          one,
          (lives = [
            candidate(skeleton, one, clipColor(index), false),
            candidate(skeleton, one, clipColor(index), true),
          ]),
        );
      return lives[seen === index ? 1 : 0];
    });
  }

  #handles(skeleton: Skeleton): Handles {
    const mode = this.#mode;
    const { motion } = mode.result.solved ?? {};
    const list = mode.document.keys.flatMap(({ id, color }) => {
      const spot = mode.spotOf(id);
      return spot ? [{ ...spot, id, color: clipColor(color), selected: id === mode.selected }] : [];
    });
    const end = motion ? (motion.frames - 1) * motion.joints.length * 3 + rootOf(motion) * 3 : 0;
    return {
      height: skeleton.height,
      list,
      framedPoints: motion ? [...list, { x: motion.positions[end], z: motion.positions[end + 2] }] : list,
      onSelect: (id) => {
        mode.history.seal();
        mode.select(id);
      },
      ...(mode.candidates.drawing && {
        onGround: (x: number, z: number) => mode.candidates.draw([...mode.candidates.line, [x, z]]),
      }),
      onMove: (id, spot, done) => {
        mode.dragging = !done;
        // One step, whatever the duration of the drag.
        mode.place(id, spot, "move a key", Infinity);
        if (done) mode.history.seal();
      },
    };
  }
}

/** Number of drawn points of a path. */
const POINTS = 13;

/** A path for the viewer: x, z and direction, [points × 4]. */
function drawnPath(path: Line): Float32Array {
  const out = new Float32Array(POINTS * 4);
  const at = (part: number): readonly [number, number] =>
    path[Math.round(Math.max(0, Math.min(1, part)) * (path.length - 1))] ?? [0, 0];
  for (let i = 0; i < POINTS; i++) {
    const part = i / (POINTS - 1);
    const [[x, z], before, after] = [at(part), at(part - 0.05), at(part + 0.05)];
    const [dx, dz] = [after[0] - before[0], after[1] - before[1]];
    const length = Math.hypot(dx, dz) || 1;
    out.set([x, z, dx / length, dz / length], i * 4);
  }
  return out;
}

/** A candidate; it follows the clock, or shows the middle of its path. */
function candidate(skeleton: Skeleton, { poses, path }: CandidateMotion, color: string, moves: boolean): LiveSkeleton {
  return {
    skeleton,
    color,
    isFaint: !moves,
    path: drawnPath(path),
    pose: (frame, out) => {
      if (poses.joints.length !== skeleton.joints.length) return false;
      poseAt(poses, moves ? frame % poses.frames : (poses.frames - 1) / 2, out);
      return true;
    },
  };
}

/** Moves a pose from one ground pose to another, [joints × 3]. */
function carry(pose: Float32Array, from: GroundPose, to: GroundPose): void {
  const [cos, sin] = [Math.cos(to.heading - from.heading), Math.sin(to.heading - from.heading)];
  for (let at = 0; at < pose.length; at += 3) {
    const [x, z] = [pose[at] - from.x, pose[at + 2] - from.z];
    pose[at] = to.x + cos * x + sin * z;
    pose[at + 2] = to.z + cos * z - sin * x;
  }
}
