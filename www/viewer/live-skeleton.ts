/** Skeletons that are posed in every frame, such as a dragged key or a controlled character. */
import { Group, type Object3D, type SkinnedMesh } from "three";
import type { Skeleton } from "./poses";
import type { ViewOptions } from "./motion-view";
import { Figure } from "./figure";
import type { StageColors } from "./palette";
import { PathAhead } from "./path-ahead";

/** A skinned model that is posed in every frame. */
export interface LiveBody {
  readonly object: Object3D;
  /** Poses the model by local rotations, quaternions, [joints × 4], and world positions, metres, [joints × 3]. */
  pose(rotations: Float32Array, positions: Float32Array): void;
}

/** A skeleton whose pose is requested whenever it is drawn. */
export interface LiveSkeleton {
  readonly skeleton: Skeleton;
  readonly color: string;
  /** Whether the skeleton is drawn faintly, for comparison. */
  readonly isFaint?: boolean;
  /**
   * Writes the world joint positions of a frame into `out`, metres, [joints × 3]. Returns false if there is no pose.
   */
  pose(frame: number, out: Float32Array): boolean;
  /** Path ahead of the character: x, z and direction as a unit vector, [points × 4]. Read whenever it is drawn. */
  readonly path?: Float32Array;
  /** Height of the ground below the path, metres; absent: 0. */
  heightAt?(x: number, z: number): number;
  /** Joints of each foot. */
  readonly feet?: readonly (readonly number[])[];
  /** Returns whether each foot is in contact. */
  contacts?(): boolean[];
  /** Model that replaces the figure. */
  readonly body?: LiveBody;
  /** Local rotations for `body`, quaternions, [joints × 4]; updated by `pose`. */
  readonly rotations?: Float32Array;
}

/** A live skeleton on the stage. */
export class LiveView {
  readonly live: LiveSkeleton;
  readonly figure: Figure;
  readonly group = new Group();
  #path: PathAhead | undefined;
  #showsContacts = true;
  #showsBody = false;

  constructor(live: LiveSkeleton) {
    this.live = live;
    this.figure = new Figure(live.skeleton, live.isFaint);
    if (live.feet) this.figure.setFeet(live.feet);
    if (live.path) this.#path = new PathAhead(live.path.length / 4, this.figure.height);
    this.group.add(
      this.figure.group,
      ...(this.#path ? [this.#path.group] : []),
      ...(live.body ? [live.body.object] : []),
    );
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.live.color, this.live.isFaint ? this.live.color : colors.joint, colors.contact);
    this.#path?.setColors(this.live.color, colors.grid);
  }

  setOptions({ body, path, contacts }: ViewOptions): void {
    this.figure.setBody(body);
    this.#showsContacts = contacts;
    if (this.#path) this.#path.group.visible = path;
    this.#showsBody = body && this.live.body !== undefined;
    if (this.live.body) this.live.body.object.visible = body;
  }

  setFrame(frame: number): void {
    const { group, pose } = this.figure;
    const hasPose = this.live.pose(frame, pose);
    group.visible = hasPose && !this.#showsBody;
    if (!hasPose) return;
    if (this.#showsBody && this.live.rotations) this.live.body?.pose(this.live.rotations, pose);
    if (this.live.contacts) this.figure.setContacts(...(this.#showsContacts ? this.live.contacts() : []));
    this.figure.draw();
    if (this.live.path) this.#path?.draw(this.live.path, (x, z) => this.live.heightAt?.(x, z) ?? 0);
  }

  dispose(): void {
    this.figure.dispose();
    this.#path?.dispose();
    this.live.body?.object.traverse(
      (node) => (node as SkinnedMesh).isSkinnedMesh && (node as SkinnedMesh).skeleton.dispose(),
    );
    this.live.body?.object.removeFromParent();
    this.group.removeFromParent();
  }
}
