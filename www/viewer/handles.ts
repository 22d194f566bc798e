/** Handles on the ground that the user drags and turns: each is a ring with an arrow for the heading. */
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

const TRANSPARENT = { transparent: true, depthWrite: false, side: DoubleSide } as const;
/** Radius of the ring, and distance of the arrow's tip from its centre, as fractions of the figure's height. */
const [RING_RADIUS, ARROW_TIP] = [0.17, 0.34];
/** A press with a longer movement (pixels) or duration (milliseconds) is a drag of the camera. */
const [MAX_PRESS_PIXELS, MAX_PRESS_MS] = [5, 500];
/** Distances from an arrow's tip within which it is grabbed by a mouse or pen, and by a finger, pixels. */
const [GRAB_PIXELS, TOUCH_GRAB_PIXELS] = [14, 26];

/** Creates an arrow head that points to +z. */
function arrowGeometry(height: number): BufferGeometry {
  const [near, far, half] = [RING_RADIUS * 1.15 * height, ARROW_TIP * height, 0.075 * height];
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
    this.#viewer.requestDraw();
  }

  #make(id: string, height: number): Group {
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

/**
 * Converts pointer drags of handles on the canvas to ground poses. Its listener runs before those of the camera's
 * controls, which handle all other drags.
 */
function dragHandles(host: HTMLElement, camera: PerspectiveCamera, handles: () => Handles | undefined): void {
  const point = new Vector3();
  const hostBox = (): DOMRect => host.getBoundingClientRect();

  /** Returns the point on the ground under the pointer; `undefined` above the horizon. */
  const groundUnder = (event: PointerEvent): { x: number; z: number } | undefined => {
    const { left, top, width, height } = hostBox();
    point
      .set(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2, 0.5)
      .unproject(camera);
    const ray = point.sub(camera.position);
    if (ray.y > -1e-4) return undefined;
    const distance = -camera.position.y / ray.y;
    return { x: camera.position.x + distance * ray.x, z: camera.position.z + distance * ray.z };
  };
  const toPixels = (x: number, y: number, z: number): [number, number] => {
    const { left, top, width, height } = hostBox();
    point.set(x, y, z).project(camera);
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  };

  /** Returns the handle whose arrow, ring or figure is under the pointer. `turns`: it is the arrow. */
  const findHandle = (event: PointerEvent): { handle: Handle; turns: boolean } | undefined => {
    const current = handles();
    if (!current) return undefined;
    const grip = event.pointerType === "touch" ? TOUCH_GRAB_PIXELS : GRAB_PIXELS;
    const { height } = current;
    const ordered = [...current.list].sort((a, b) => Number(b.selected) - Number(a.selected));
    for (const handle of ordered) {
      const reach = 0.9 * ARROW_TIP * height;
      const [x, y] = toPixels(
        handle.x + reach * Math.sin(handle.heading),
        0,
        handle.z + reach * Math.cos(handle.heading),
      );
      if (Math.hypot(event.clientX - x, event.clientY - y) < grip) return { handle, turns: true };
    }
    const at = groundUnder(event);
    for (const handle of ordered) {
      if (at && Math.hypot(at.x - handle.x, at.z - handle.z) < RING_RADIUS * 1.1 * height)
        return { handle, turns: false };
      const [footX, footY] = toPixels(handle.x, 0, handle.z);
      const [headX, headY] = toPixels(handle.x, height, handle.z);
      const bodyFraction = (event.clientY - footY) / Math.min(-1, headY - footY);
      const halfWidth = Math.max(grip, 0.14 * Math.abs(headY - footY));
      if (
        bodyFraction > 0 &&
        bodyFraction < 1.05 &&
        Math.abs(event.clientX - (footX + bodyFraction * (headX - footX))) < halfWidth
      )
        return { handle, turns: false };
    }
    return undefined;
  };

  /**
   * Waits whether a press on the ground is short. The event goes on to the camera, which turns if it becomes a drag.
   */
  const press = (event: PointerEvent, { onGround }: Handles): void => {
    const at = groundUnder(event);
    if (!onGround || !at) return;
    host.addEventListener(
      "pointerup",
      (now) => {
        const moved = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY);
        if (
          now.pointerId === event.pointerId &&
          moved < MAX_PRESS_PIXELS &&
          now.timeStamp - event.timeStamp < MAX_PRESS_MS
        )
          onGround(at.x, at.z);
      },
      { once: true },
    );
  };

  host.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const found = findHandle(event);
      const all = handles();
      if (!all) return;
      if (!found) return press(event, all);
      event.stopPropagation();
      const { handle, turns } = found;
      const start = groundUnder(event);
      const before = { x: handle.x, z: handle.z, heading: handle.heading };
      let last: GroundPose = before;
      host.setPointerCapture(event.pointerId);
      host.classList.add("dragging");
      all.onSelect(handle.id);
      const move = (now: PointerEvent): void => {
        const at = groundUnder(now);
        if (!at || !start) return;
        last = turns
          ? { ...before, heading: Math.atan2(at.x - before.x, at.z - before.z) }
          : { ...before, x: before.x + at.x - start.x, z: before.z + at.z - start.z };
        all.onMove(handle.id, last, false);
      };
      const end = (): void => {
        host.removeEventListener("pointermove", move);
        host.removeEventListener("pointerup", end);
        host.removeEventListener("pointercancel", end);
        host.classList.remove("dragging");
        if (last !== before) all.onMove(handle.id, last, true);
      };
      host.addEventListener("pointermove", move);
      host.addEventListener("pointerup", end);
      host.addEventListener("pointercancel", end);
    },
    { capture: true },
  );

  host.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return;
    const found = findHandle(event);
    host.classList.toggle("can-drag", found !== undefined && !found.turns);
    host.classList.toggle("can-turn", found?.turns === true);
  });
}
