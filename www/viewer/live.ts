/** A skeleton that somebody poses at every frame, such as one that is dragged or steered. */
import type { Skeleton } from "./poses";
import { Figure } from "./figure";
import type { StageColors } from "./palette";

export interface Live {
  readonly skeleton: Skeleton;
  readonly color: string;
  /** Drawn faintly, as something to compare with. */
  readonly faint?: boolean;
  /** Writes the world joint positions of a frame into `out`, metres, [joints × 3]; false where there is nothing to show. */
  pose(frame: number, out: Float32Array): boolean;
}

export class LiveExhibit {
  readonly live: Live;
  readonly figure: Figure;

  constructor(live: Live) {
    this.live = live;
    this.figure = new Figure(live.skeleton, live.faint);
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.live.color, this.live.faint ? this.live.color : colors.joint, colors.contact);
  }

  setFrame(frame: number): void {
    const { group, pose } = this.figure;
    group.visible = this.live.pose(frame, pose);
    if (group.visible) this.figure.draw();
  }

  dispose(): void {
    this.figure.dispose();
  }
}
