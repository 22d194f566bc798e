/** A skeleton that somebody poses at every frame, such as one that is dragged or steered. */
import { Group } from "three";
import type { Skeleton } from "./poses";
import type { ExhibitOptions } from "./exhibit";
import { Figure } from "./figure";
import type { StageColors } from "./palette";
import { Way } from "./way";

export interface Live {
  readonly skeleton: Skeleton;
  readonly color: string;
  /** Drawn faintly, as something to compare with. */
  readonly faint?: boolean;
  /** Writes the world joint positions of a frame into `out`, metres, [joints × 3]; false where there is nothing to show. */
  pose(frame: number, out: Float32Array): boolean;
  /** Where it is going: x, z and where it faces there, as a unit vector, [points × 4]; read as it is drawn. */
  readonly way?: Float32Array;
  /** Joints of each foot, and which of them touch the ground now. */
  readonly feet?: readonly (readonly number[])[];
  contacts?(): boolean[];
}

export class LiveExhibit {
  readonly live: Live;
  readonly figure: Figure;
  readonly group = new Group();
  #way: Way | undefined;
  #lit = true;

  constructor(live: Live) {
    this.live = live;
    this.figure = new Figure(live.skeleton, live.faint);
    if (live.feet) this.figure.setFeet(live.feet);
    if (live.way) this.#way = new Way(live.way.length / 4, this.figure.height);
    this.group.add(this.figure.group, ...(this.#way ? [this.#way.group] : []));
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.live.color, this.live.faint ? this.live.color : colors.joint, colors.contact);
    this.#way?.setColors(this.live.color, colors.grid);
  }

  setOptions({ body, path, contacts }: ExhibitOptions): void {
    this.figure.setBody(body);
    this.#lit = contacts;
    if (this.#way) this.#way.group.visible = path;
  }

  setFrame(frame: number): void {
    const { group, pose } = this.figure;
    group.visible = this.live.pose(frame, pose);
    if (!group.visible) return;
    if (this.live.contacts) this.figure.setContacts(...(this.#lit ? this.live.contacts() : []));
    this.figure.draw();
    if (this.live.way) this.#way?.draw(this.live.way);
  }

  dispose(): void {
    this.figure.dispose();
    this.#way?.dispose();
    this.group.removeFromParent();
  }
}
