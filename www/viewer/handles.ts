/** Handles on the ground that the user drags and turns: each is a ring with an arrow for the heading. */
import { BufferAttribute, BufferGeometry, Group, Mesh, MeshBasicMaterial, RingGeometry } from "three";
import { disposeMarks, TRANSPARENT } from "./ground";
import { ARROW_TIP, listenForDrags, RING_RADIUS } from "./handle-drag";
import type { Viewer } from "./viewer";

/** A ground pose: metres; radians from +z towards +x. */
export interface GroundPose {
  x: number;
  z: number;
  heading: number;
}

/** A handle at a ground pose. */
export interface Handle extends GroundPose {
  id: string;
  color: string;
  selected: boolean;
}

/** Handles and their callbacks. */
export interface Handles {
  list: readonly Handle[];
  /** Points on the ground that the camera's view "frame" includes. */
  framedPoints: readonly { x: number; z: number }[];
  /** Height of the figures, metres, which sets the size of the rings. */
  height: number;
  onSelect(id: string): void;
  /** Called during a drag with the new ground pose; `done` is true for the last call. */
  onMove(id: string, pose: GroundPose, done: boolean): void;
  /** Called after a short press on the ground beside all handles. */
  onGround?(x: number, z: number): void;
}

/** Creates an arrow head that points to +z. `height`: of the figure, metres. */
function arrowGeometry(height: number): BufferGeometry {
  const [base, tip, halfWidth] = [RING_RADIUS * 1.15 * height, ARROW_TIP * height, 0.075 * height];
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "position",
    new BufferAttribute(new Float32Array([-halfWidth, 0, base, halfWidth, 0, base, 0, 0, tip]), 3),
  );
  return geometry;
}

/** Draws handles on a viewer's stage, and reports drags of them. */
export class GroundHandles {
  #viewer: Viewer;
  #group = new Group();
  #marks = new Map<string, Group>();
  #handles: Handles | undefined;
  #height = 0;
  /** Text of the drawn handles. */
  #drawnText = "";

  constructor(viewer: Viewer, host: HTMLElement) {
    this.#viewer = viewer;
    viewer.add(this.#group);
    listenForDrags(host, viewer.camera.camera, () => this.#handles);
  }

  set(handles: Handles | undefined): void {
    if (!handles && !this.#handles) return;
    this.#handles = handles;
    const { list = [], height = 0 } = handles ?? {};
    const drawnText = JSON.stringify([list, height]);
    if (drawnText === this.#drawnText) return;
    this.#drawnText = drawnText;
    for (const [id, mark] of this.#marks) {
      if (height === this.#height && list.some((handle) => handle.id === id)) continue;
      disposeMarks(mark);
      this.#marks.delete(id);
    }
    this.#height = height;
    for (const handle of list) {
      const mark = this.#marks.get(handle.id) ?? this.#addMark(handle.id, height);
      mark.position.set(handle.x, 0.006 * height, handle.z);
      mark.rotation.y = handle.heading;
      for (const mesh of mark.children as Mesh[]) {
        const material = mesh.material as MeshBasicMaterial;
        material.color.set(handle.color);
        material.opacity = handle.selected ? 1 : 0.6;
      }
    }
    this.#viewer.requestDraw();
  }

  #addMark(id: string, height: number): Group {
    const mark = new Group();
    mark.add(
      new Mesh(
        new RingGeometry(RING_RADIUS * 0.86 * height, RING_RADIUS * height, 48).rotateX(-Math.PI / 2),
        new MeshBasicMaterial(TRANSPARENT),
      ),
      new Mesh(arrowGeometry(height), new MeshBasicMaterial(TRANSPARENT)),
    );
    this.#marks.set(id, mark);
    this.#group.add(mark);
    return mark;
  }
}
