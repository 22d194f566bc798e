/** A motion on the stage: its figure, ghosts of the source clips, path, footprints and marks of seams. */
import { Color, Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import { Figure } from "./figure";
import { disposeMarks, Path, Footprints } from "./ground";
import { SeamMarks } from "./seam-marks";
import type { StageColors } from "./palette";
import type { Role } from "kinestitch/worker";
import type { Puppet } from "./puppet";
import { jointOf, poseAt, skeletonOf, smoothRootPath, type Poses, type DisplayedMotion } from "./poses";

/** Visible parts of a motion's view. `body`: a body instead of bones. */
export interface ViewOptions {
  ghosts: boolean;
  path: boolean;
  contacts: boolean;
  body: boolean;
}

/**
 * Smallest distance of a ghost from the figure, as a fraction of the figure's height. A closer ghost is hidden, because
 * both would flicker.
 */
const MIN_GHOST_DISTANCE = 0.006;

/** A faint figure of a source clip beside the result. `start`: frame of the motion at which the clip begins. */
interface Ghost {
  /** Created when the ghost is first visible: a motion may have hundreds of segments. */
  figure?: Figure;
  poses: Poses;
  start: number;
  color: string;
}

/** The view of a motion on the stage. */
export class MotionView {
  readonly group = new Group();
  readonly displayed: DisplayedMotion;
  readonly figure: Figure;
  #puppet: Puppet | undefined;
  #ghosts: Ghost[] = [];
  #path: Path | undefined;
  #footprints: Footprints | undefined;
  #marks: SeamMarks | undefined;
  #layer = 0;
  #options: ViewOptions;
  #plainColor: string;
  #smoothPath: Float32Array;
  #roleMark: { joint: number; mesh: Mesh } | undefined;

  constructor(displayed: DisplayedMotion, colors: StageColors, options: ViewOptions, plainColor: string) {
    this.displayed = displayed;
    this.#options = options;
    this.#plainColor = plainColor;
    this.#smoothPath = smoothRootPath(displayed.motion);
    this.figure = new Figure(skeletonOf(displayed.motion));
    this.group.add(this.figure.group);
    if (displayed.body) {
      this.#puppet = displayed.body.puppet();
      this.group.add(this.#puppet.object);
    }
    for (const { poses, start, color } of displayed.segments.length > 1 ? displayed.segments : []) {
      if (!poses) continue;
      this.#ghosts.push({ poses, start, color });
    }
    if (displayed.motion.frames > 1) this.#path = new Path(displayed, this.figure.height);
    if (displayed.contact.length) this.#footprints = new Footprints(displayed, this.figure.height);
    if (this.#path) this.group.add(this.#path.mesh);
    if (this.#footprints) this.group.add(this.#footprints.mesh);
    this.setColors(colors);
    this.setOptions(options);
  }

  /** Height of the visible figure, metres. */
  get height(): number {
    // The height of a model includes the top of its head; that of the figure ends at a joint, a little lower.
    return Math.max(this.figure.height, (this.#puppet?.height ?? 0) * 0.97);
  }

  /** Target of a following camera at a frame: x and z on the ground, and the height of the root, metres. */
  cameraTarget(frame: number): [x: number, z: number, height: number] {
    const path = this.#smoothPath;
    const last = this.displayed.motion.frames - 1;
    const previous = Math.max(0, Math.min(last, Math.floor(frame)));
    const next = Math.min(last, previous + 1);
    const fraction = Math.max(0, Math.min(1, frame - previous));
    const interpolate = (axis: number): number =>
      path[previous * 3 + axis] + (path[next * 3 + axis] - path[previous * 3 + axis]) * fraction;
    return [interpolate(0), interpolate(1), interpolate(2)];
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.#plainColor, colors.joint, colors.contact);
    for (const { figure, color } of this.#ghosts) figure?.setColors(color, color, color);
    this.#footprints?.setColors(colors.print, colors.contact);
    if (this.displayed.hidesSeamMarks) return;
    const isVisible = this.#marks?.group.visible ?? this.#options.path;
    this.#marks?.dispose();
    this.#marks = new SeamMarks(this.displayed, this.figure.height, colors.seam, colors.background);
    this.#marks.group.visible = isVisible;
    this.group.add(this.#marks.group);
  }

  setOptions(options: ViewOptions): void {
    this.#options = options;
    if (this.#path) this.#path.mesh.visible = options.path;
    if (this.#marks) this.#marks.group.visible = options.path;
    if (this.#footprints) this.#footprints.mesh.visible = options.contacts;
    for (const figure of [this.figure, ...this.#ghosts.map((ghost) => ghost.figure)]) figure?.setBody(options.body);
    if (this.#puppet) this.#puppet.object.visible = options.body;
    this.figure.group.visible = !(this.#puppet && options.body);
  }

  /** Marks the joint of a role by a sphere that nothing hides. `undefined` removes the mark. */
  markRole(role: Role | undefined): void {
    disposeMarks(this.#roleMark?.mesh);
    this.#roleMark = undefined;
    const joint = role ? jointOf(this.displayed.motion, role) : -1;
    if (joint < 0) return;
    const mesh = new Mesh(
      new SphereGeometry(0.02 * this.figure.height, 16, 12),
      new MeshBasicMaterial({ color: "#ff3d7f", depthTest: false, transparent: true }),
    );
    mesh.renderOrder = 10;
    this.#roleMark = { joint, mesh };
    this.group.add(mesh);
    this.#moveRoleMark();
  }

  #moveRoleMark(): void {
    if (this.#roleMark) this.#roleMark.mesh.position.fromArray(this.figure.pose, this.#roleMark.joint * 3);
  }

  /** Shows a frame, which may be fractional. Contacts, path and marks are those of the nearest whole frame. */
  setFrame(frame: number): void {
    const { contact, motion } = this.displayed;
    const nearestFrame = Math.max(0, Math.min(motion.frames - 1, Math.round(frame)));
    const showsContacts = this.#options.contacts;
    this.figure.setContacts(
      showsContacts && contact[0]?.[nearestFrame] === 1,
      showsContacts && contact[1]?.[nearestFrame] === 1,
    );
    this.figure.setBodyColor(this.#bodyColor(frame));
    poseAt(motion, frame, this.figure.pose);
    this.figure.draw();
    this.#puppet?.pose(frame / motion.fps);
    this.#moveRoleMark();
    this.#footprints?.show(nearestFrame);
    this.#path?.show(nearestFrame);
    this.#marks?.show(nearestFrame, this.#layer);
    for (const ghost of this.#ghosts) this.#drawGhost(ghost, frame);
  }

  #createGhost(ghost: Ghost): Figure {
    const figure = new Figure(skeletonOf(ghost.poses), true);
    figure.setColors(ghost.color, ghost.color, ghost.color);
    figure.setBody(this.#options.body);
    figure.group.traverse((object) => object.layers.set(this.#layer));
    this.group.add(figure.group);
    return figure;
  }

  #drawGhost(ghost: Ghost, frame: number): void {
    const { poses, start } = ghost;
    const ghostFrame = frame - start;
    const isVisible = this.#options.ghosts && ghostFrame > -1 && ghostFrame < poses.frames;
    if (ghost.figure) ghost.figure.group.visible = isVisible;
    if (!isVisible) return;
    const figure = (ghost.figure ??= this.#createGhost(ghost));
    poseAt(poses, ghostFrame, figure.pose);
    figure.draw();
    const [ghostPose, pose] = [figure.pose, this.figure.pose];
    let distance = 0;
    for (let k = 0; k < Math.min(ghostPose.length, pose.length); k++)
      distance = Math.max(distance, Math.abs(ghostPose[k] - pose[k]));
    figure.group.visible = distance > MIN_GHOST_DISTANCE * this.figure.height;
  }

  #mixedColor = new Color();

  /** Returns the colour of the current segment; during a blend, a mixture of the colours of both segments. */
  #bodyColor(frame: number): Color {
    const { segments, seams } = this.displayed;
    if (segments.length === 0) return this.#mixedColor.set(this.#plainColor);
    const current = Math.max(
      0,
      segments.findLastIndex((segment) => segment.start <= frame),
    );
    this.#mixedColor.set(segments[current].color);
    const seam = seams.find(({ editedRange }) => editedRange.from <= frame && frame < editedRange.to);
    const index = seam ? seams.indexOf(seam) + 1 : 0;
    if (seam && segments[index]) {
      const fraction = (frame - seam.editedRange.from) / Math.max(1, seam.editedRange.to - seam.editedRange.from);
      this.#mixedColor.set(segments[index - 1].color).lerp(new Color(segments[index].color), fraction);
    }
    return this.#mixedColor;
  }

  /** Puts all objects on one camera layer, so that two motions on a stage can be viewed separately. */
  setLayer(layer: number): void {
    this.#layer = layer;
    this.group.traverse((object) => object.layers.set(layer));
  }

  dispose(): void {
    this.figure.dispose();
    this.#puppet?.dispose();
    for (const { figure } of this.#ghosts) figure?.dispose();
    this.#marks?.dispose();
    disposeMarks(this.#roleMark?.mesh, this.#path?.mesh, this.#footprints?.mesh);
    this.group.removeFromParent();
  }
}
