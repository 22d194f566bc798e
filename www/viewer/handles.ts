/** Handles on the ground that can be dragged and turned: a ring with an arrow for the heading. */
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  Vector3,
  type PerspectiveCamera,
} from "three";
import { disposeMarks } from "./ground";
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
  /** Points that framing must include. */
  around: readonly { x: number; z: number }[];
  /** Height of the figures, metres, which sets the size of the rings. */
  height: number;
  onSelect(id: string): void;
  /** Called during a drag; `done` when it ends. */
  onPlace(id: string, spot: GroundPose, done: boolean): void;
  /** Called for a short press on the bare ground. */
  onGround?(x: number, z: number): void;
}

const SOFT = { transparent: true, depthWrite: false, side: DoubleSide } as const;
/** Radius of the ring, and position of the arrow's tip, as fractions of the figure's height. */
const [RING, TIP] = [0.17, 0.34];
/** Largest movement, pixels, and duration, milliseconds, of a press that is not a camera drag. */
const [STILL, SHORT] = [5, 500];
/** Distance at which an arrow's tip is grabbed, pixels; larger for a finger. */
const [GRIP, FINGER] = [14, 26];

function arrow(height: number): BufferGeometry {
  const [near, far, half] = [RING * 1.15 * height, TIP * height, 0.075 * height];
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "position",
    new BufferAttribute(new Float32Array([-half, 0, near, half, 0, near, 0, 0, far]), 3),
  );
  return geometry;
}

/** Draws handles on a viewer's stage, and converts drags on its canvas to ground poses. */
export class GroundHandles {
  #viewer: Viewer;
  #group = new Group();
  #marks = new Map<string, Group>();
  #handles: Handles | undefined;
  #height = 0;

  constructor(viewer: Viewer, host: HTMLElement) {
    this.#viewer = viewer;
    viewer.add(this.#group);
    dragHandles(host, viewer.camera.camera, () => this.#handles);
  }

  set(handles: Handles | undefined): void {
    const before = this.#handles;
    this.#handles = handles;
    if (!handles && !before) return;
    const { list = [], height = 0 } = handles ?? {};
    for (const [id, mark] of this.#marks) {
      if (height === this.#height && list.some((handle) => handle.id === id)) continue;
      disposeMarks(mark);
      this.#marks.delete(id);
    }
    this.#height = height;
    for (const handle of list) {
      const mark = this.#marks.get(handle.id) ?? this.#make(handle.id, height);
      mark.position.set(handle.x, 0.006 * height, handle.z);
      mark.rotation.y = handle.heading;
      for (const part of mark.children as Mesh[]) {
        const material = part.material as MeshBasicMaterial;
        material.color.set(handle.color);
        material.opacity = handle.selected ? 1 : 0.6;
      }
    }
    this.#viewer.touch();
  }

  #make(id: string, height: number): Group {
    const mark = new Group();
    mark.add(
      new Mesh(
        new RingGeometry(RING * 0.86 * height, RING * height, 48).rotateX(-Math.PI / 2),
        new MeshBasicMaterial(SOFT),
      ),
      new Mesh(arrow(height), new MeshBasicMaterial(SOFT)),
    );
    this.#marks.set(id, mark);
    this.#group.add(mark);
    return mark;
  }
}

/**
 * Converts pointer drags on the canvas to ground poses. Runs before the camera's own controls, which get all other
 * drags.
 */
function dragHandles(host: HTMLElement, camera: PerspectiveCamera, handles: () => Handles | undefined): void {
  const point = new Vector3();
  const box = (): DOMRect => host.getBoundingClientRect();

  /** Point of the ground under the pointer. */
  const ground = (event: PointerEvent): { x: number; z: number } | undefined => {
    const { left, top, width, height } = box();
    point
      .set(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2, 0.5)
      .unproject(camera);
    const along = point.sub(camera.position);
    if (along.y > -1e-4) return undefined;
    const far = -camera.position.y / along.y;
    return { x: camera.position.x + far * along.x, z: camera.position.z + far * along.z };
  };
  const pixels = (x: number, y: number, z: number): [number, number] => {
    const { left, top, width, height } = box();
    point.set(x, y, z).project(camera);
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  };

  /** Handle under the pointer: by its arrow, its ring, or its body. */
  const hit = (event: PointerEvent): { handle: Handle; turns: boolean } | undefined => {
    const found = handles();
    if (!found) return undefined;
    const grip = event.pointerType === "touch" ? FINGER : GRIP;
    const { height } = found;
    const ordered = [...found.list].sort((a, b) => Number(b.selected) - Number(a.selected));
    for (const handle of ordered) {
      const reach = 0.9 * TIP * height;
      const [x, y] = pixels(
        handle.x + reach * Math.sin(handle.heading),
        0,
        handle.z + reach * Math.cos(handle.heading),
      );
      if (Math.hypot(event.clientX - x, event.clientY - y) < grip) return { handle, turns: true };
    }
    const at = ground(event);
    for (const handle of ordered) {
      if (at && Math.hypot(at.x - handle.x, at.z - handle.z) < RING * 1.1 * height) return { handle, turns: false };
      const [footX, footY] = pixels(handle.x, 0, handle.z);
      const [headX, headY] = pixels(handle.x, height, handle.z);
      const along = (event.clientY - footY) / Math.min(-1, headY - footY);
      const wide = Math.max(grip, 0.14 * Math.abs(headY - footY));
      if (along > 0 && along < 1.05 && Math.abs(event.clientX - (footX + along * (headX - footX))) < wide)
        return { handle, turns: false };
    }
    return undefined;
  };

  /** Not stopped, so that the camera turns if it becomes a drag. */
  const press = (event: PointerEvent, { onGround }: Handles): void => {
    const at = ground(event);
    if (!onGround || !at) return;
    host.addEventListener(
      "pointerup",
      (now) => {
        const moved = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY);
        if (now.pointerId === event.pointerId && moved < STILL && now.timeStamp - event.timeStamp < SHORT)
          onGround(at.x, at.z);
      },
      { once: true },
    );
  };

  host.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const found = hit(event);
      const all = handles();
      if (!all) return;
      if (!found) return press(event, all);
      event.stopPropagation();
      const { handle, turns } = found;
      const start = ground(event);
      const before = { x: handle.x, z: handle.z, heading: handle.heading };
      let last: GroundPose = before;
      host.setPointerCapture(event.pointerId);
      host.classList.add("dragging");
      all.onSelect(handle.id);
      const move = (now: PointerEvent): void => {
        const at = ground(now);
        if (!at || !start) return;
        last = turns
          ? { ...before, heading: Math.atan2(at.x - before.x, at.z - before.z) }
          : { ...before, x: before.x + at.x - start.x, z: before.z + at.z - start.z };
        all.onPlace(handle.id, last, false);
      };
      const end = (): void => {
        host.removeEventListener("pointermove", move);
        host.removeEventListener("pointerup", end);
        host.removeEventListener("pointercancel", end);
        host.classList.remove("dragging");
        if (last !== before) all.onPlace(handle.id, last, true);
      };
      host.addEventListener("pointermove", move);
      host.addEventListener("pointerup", end);
      host.addEventListener("pointercancel", end);
    },
    { capture: true },
  );

  host.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return;
    const found = hit(event);
    host.classList.toggle("can-drag", found !== undefined && !found.turns);
    host.classList.toggle("can-turn", found?.turns === true);
  });
}
