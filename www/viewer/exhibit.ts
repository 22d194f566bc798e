/** A motion on the stage with everything around it: figure, ghosts, path, footprints, seams. */
import { Color, Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import { Figure } from "./figure";
import { disposeMarks, Path, Prints } from "./ground";
import { SeamMarks } from "./seam-marks";
import type { StageColors } from "./palette";
import type { Role } from "kinestitch/worker";
import type { Puppet } from "./puppet";
import { jointOf, poseAt, skeletonOf, smoothWay, type Poses, type DisplayedMotion } from "./poses";

/** Visible parts of an exhibit. */
export interface ExhibitOptions {
  ghosts: boolean;
  path: boolean;
  contacts: boolean;
  body: boolean;
}

/** Ghosts closer to the figure than this fraction of its height are hidden, because they would flicker. */
const GHOST_APART = 0.006;

interface Ghost {
  /** Made when it is first near: of hundreds of parts, few ever are. */
  figure?: Figure;
  poses: Poses;
  start: number;
  color: string;
}

/** A motion on the stage. */
export class Exhibit {
  readonly group = new Group();
  readonly show: DisplayedMotion;
  readonly figure: Figure;
  #puppet: Puppet | undefined;
  #ghosts: Ghost[] = [];
  #path: Path | undefined;
  #prints: Prints | undefined;
  #marks: SeamMarks | undefined;
  #layer = 0;
  #options: ExhibitOptions;
  #plain: string;
  #way: Float32Array;
  #pin: { joint: number; mesh: Mesh } | undefined;

  constructor(show: DisplayedMotion, colors: StageColors, options: ExhibitOptions, plain: string) {
    this.show = show;
    this.#options = options;
    this.#plain = plain;
    this.#way = smoothWay(show.motion);
    this.figure = new Figure(skeletonOf(show.motion));
    this.group.add(this.figure.group);
    if (show.body) {
      this.#puppet = show.body.puppet();
      this.group.add(this.#puppet.object);
    }
    for (const { poses, start, color } of show.parts.length > 1 ? show.parts : []) {
      if (!poses) continue;
      this.#ghosts.push({ poses, start, color });
    }
    if (show.motion.frames > 1) this.#path = new Path(show, this.figure.height);
    if (show.contact.length) this.#prints = new Prints(show, this.figure.height);
    if (this.#path) this.group.add(this.#path.mesh);
    if (this.#prints) this.group.add(this.#prints.mesh);
    this.setColors(colors);
    this.setOptions(options);
  }

  /** Height of the visible figure, metres. */
  get height(): number {
    // The figure's head extends above its joint.
    return Math.max(this.figure.height, (this.#puppet?.height ?? 0) * 0.97);
  }

  /** Target of a following camera at a frame: x and z on the ground, and the height of the root, metres. */
  place(frame: number): [x: number, z: number, height: number] {
    const way = this.#way;
    const last = this.show.motion.frames - 1;
    const low = Math.max(0, Math.min(last, Math.floor(frame)));
    const high = Math.min(last, low + 1);
    const share = Math.max(0, Math.min(1, frame - low));
    const between = (axis: number): number =>
      way[low * 3 + axis] + (way[high * 3 + axis] - way[low * 3 + axis]) * share;
    return [between(0), between(1), between(2)];
  }

  setColors(colors: StageColors): void {
    this.figure.setColors(this.#plain, colors.joint, colors.contact);
    for (const { figure, color } of this.#ghosts) figure?.setColors(color, color, color);
    this.#prints?.setColors(colors.print, colors.contact);
    if (this.show.unmarked) return;
    const visible = this.#marks?.group.visible ?? this.#options.path;
    this.#marks?.dispose();
    this.#marks = new SeamMarks(this.show, this.figure.height, colors.seam, colors.background);
    this.#marks.group.visible = visible;
    this.group.add(this.#marks.group);
  }

  setOptions(options: ExhibitOptions): void {
    this.#options = options;
    if (this.#path) this.#path.mesh.visible = options.path;
    if (this.#marks) this.#marks.group.visible = options.path;
    if (this.#prints) this.#prints.mesh.visible = options.contacts;
    for (const figure of [this.figure, ...this.#ghosts.map((ghost) => ghost.figure)]) figure?.setBody(options.body);
    if (this.#puppet) this.#puppet.object.visible = options.body;
    this.figure.group.visible = !(this.#puppet && options.body);
  }

  /** Marks the joint of a role, visible through everything. */
  point(role: Role | undefined): void {
    disposeMarks(this.#pin?.mesh);
    this.#pin = undefined;
    const joint = role ? jointOf(this.show.motion, role) : -1;
    if (joint < 0) return;
    const mesh = new Mesh(
      new SphereGeometry(0.02 * this.figure.height, 16, 12),
      new MeshBasicMaterial({ color: "#ff3d7f", depthTest: false, transparent: true }),
    );
    mesh.renderOrder = 10;
    this.#pin = { joint, mesh };
    this.group.add(mesh);
    this.#placePin();
  }

  #placePin(): void {
    if (this.#pin) this.#pin.mesh.position.fromArray(this.figure.pose, this.#pin.joint * 3);
  }

  setFrame(frame: number): void {
    const { contact, motion } = this.show;
    const whole = Math.max(0, Math.min(motion.frames - 1, Math.round(frame)));
    const lit = this.#options.contacts;
    this.figure.setContacts(lit && contact[0]?.[whole] === 1, lit && contact[1]?.[whole] === 1);
    this.figure.setFlesh(this.#flesh(frame));
    poseAt(motion, frame, this.figure.pose);
    this.figure.draw();
    this.#puppet?.pose(frame / motion.fps);
    this.#placePin();
    this.#prints?.show(whole);
    this.#path?.show(whole);
    this.#marks?.show(whole, this.#layer);
    for (const ghost of this.#ghosts) this.#showGhost(ghost, frame);
  }

  #madeGhost(ghost: Ghost): Figure {
    const figure = new Figure(skeletonOf(ghost.poses), true);
    figure.setColors(ghost.color, ghost.color, ghost.color);
    figure.setBody(this.#options.body);
    figure.group.traverse((part) => part.layers.set(this.#layer));
    this.group.add(figure.group);
    return figure;
  }

  #showGhost(ghost: Ghost, frame: number): void {
    const { poses, start } = ghost;
    const at = frame - start;
    const near = this.#options.ghosts && at > -1 && at < poses.frames;
    if (ghost.figure) ghost.figure.group.visible = near;
    if (!near) return;
    const figure = (ghost.figure ??= this.#madeGhost(ghost));
    poseAt(poses, at, figure.pose);
    figure.draw();
    const [a, b] = [figure.pose, this.figure.pose];
    let apart = 0;
    for (let k = 0; k < Math.min(a.length, b.length); k++) apart = Math.max(apart, Math.abs(a[k] - b[k]));
    figure.group.visible = apart > GHOST_APART * this.figure.height;
  }

  #mix = new Color();

  /** The colour of the present part, mixed during a blend. */
  #flesh(frame: number): Color {
    const { parts, seams } = this.show;
    if (parts.length === 0) return this.#mix.set(this.#plain);
    const at = Math.max(
      0,
      parts.findLastIndex((part) => part.start <= frame),
    );
    this.#mix.set(parts[at].color);
    const seam = seams.find(({ edited }) => edited.from <= frame && frame < edited.to);
    const index = seam ? seams.indexOf(seam) + 1 : 0;
    if (seam && parts[index]) {
      const share = (frame - seam.edited.from) / Math.max(1, seam.edited.to - seam.edited.from);
      this.#mix.set(parts[index - 1].color).lerp(new Color(parts[index].color), share);
    }
    return this.#mix;
  }

  /** Everything on one camera layer, so that two exhibits on a stage can be viewed separately. */
  setLayer(layer: number): void {
    this.#layer = layer;
    this.group.traverse((part) => part.layers.set(layer));
  }

  dispose(): void {
    this.figure.dispose();
    this.#puppet?.dispose();
    for (const { figure } of this.#ghosts) figure?.dispose();
    this.#marks?.dispose();
    disposeMarks(this.#pin?.mesh, this.#path?.mesh, this.#prints?.mesh);
    this.group.removeFromParent();
  }
}
