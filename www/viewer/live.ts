/** A skeleton that is posed in every frame, such as a dragged or controlled one. */
import { Group, type Object3D, type SkinnedMesh } from "three";
import type { Skeleton } from "./poses";
import type { ExhibitOptions } from "./exhibit";
import { Figure } from "./figure";
import type { StageColors } from "./palette";
import { Way } from "./way";

/** A skinned body that is posed by its owner. */
export interface LiveBody {
  readonly object: Object3D;
  /** Takes local rotations, [bones × 4], and world positions, [bones × 3]. */
  pose(rotations: Float32Array, positions: Float32Array): void;
}

/** A skeleton whose owner gives its pose whenever it is drawn. */
export interface Live {
  readonly skeleton: Skeleton;
  readonly color: string;
  /** Whether it is drawn faintly, for comparison. */
  readonly faint?: boolean;
  /**
   * Writes the world joint positions of a frame into `out`, metres, [joints × 3]; false where there is nothing to
   * show.
   */
  pose(frame: number, out: Float32Array): boolean;
  /** Path ahead: x, z and direction as a unit vector, [points × 4]; read when drawn. */
  readonly way?: Float32Array;
  /** Joints of each foot, and whether each is in contact. */
  readonly feet?: readonly (readonly number[])[];
  contacts?(): boolean[];
  /** Replaces the figure; posed by these local rotations, [joints × 4]. */
  readonly body?: LiveBody;
  readonly rotations?: Float32Array;
}

/** A live skeleton on the stage. */
export class LiveExhibit {
  readonly live: Live;
  readonly figure: Figure;
  readonly group = new Group();
  #way: Way | undefined;
  #lit = true;
  #fleshed = false;

  constructor(live: Live) {
    this.live = live;
    this.figure = new Figure(live.skeleton, live.faint);
    if (live.feet) this.figure.setFeet(live.feet);
    if (live.way) this.#way = new Way(live.way.length / 4, this.figure.height);
    this.group.add(
      this.figure.group,
      ...(this.#way ? [this.#way.group] : []),
      ...(live.body ? [live.body.object] : []),
    );
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.live.color, this.live.faint ? this.live.color : colors.joint, colors.contact);
    this.#way?.setColors(this.live.color, colors.grid);
  }

  setOptions({ body, path, contacts }: ExhibitOptions): void {
    this.figure.setBody(body);
    this.#lit = contacts;
    if (this.#way) this.#way.group.visible = path;
    this.#fleshed = body && this.live.body !== undefined;
    if (this.live.body) this.live.body.object.visible = body;
  }

  setFrame(frame: number): void {
    const { group, pose } = this.figure;
    const shown = this.live.pose(frame, pose);
    group.visible = shown && !this.#fleshed;
    if (!shown) return;
    if (this.#fleshed && this.live.rotations) this.live.body?.pose(this.live.rotations, pose);
    if (this.live.contacts) this.figure.setContacts(...(this.#lit ? this.live.contacts() : []));
    this.figure.draw();
    if (this.live.way) this.#way?.draw(this.live.way);
  }

  dispose(): void {
    this.figure.dispose();
    this.#way?.dispose();
    this.live.body?.object.traverse(
      (node) => (node as SkinnedMesh).isSkinnedMesh && (node as SkinnedMesh).skeleton.dispose(),
    );
    this.live.body?.object.removeFromParent();
    this.group.removeFromParent();
  }
}
