/** Pointer drags of handles: the ring and the figure move a handle, the arrow rotates it. */
import type { PerspectiveCamera } from "three";
import { GroundPointer } from "./ground-pointer";
import type { GroundPose, Handle, Handles } from "./handles";

/** Radius of the ring, and distance of the arrow's tip from the ring's centre, as fractions of the figure's height. */
export const [RING_RADIUS, ARROW_TIP] = [0.17, 0.34];
/** A press with a longer movement (pixels) or duration (milliseconds) is a drag of the camera. */
const [MAX_PRESS_PIXELS, MAX_PRESS_MS] = [5, 500];
/** Distances from an arrow's tip within which it is grabbed by a mouse or pen, and by a finger, pixels. */
const [GRAB_PIXELS, TOUCH_GRAB_PIXELS] = [14, 26];

/** A handle under the pointer, and the part of its ground pose that a drag changes. */
interface Hit {
  handle: Handle;
  changes: "heading" | "position";
}

/**
 * Converts drags of handles on the canvas to ground poses. The `pointerdown` listener runs before those of the camera's
 * controls, which handle all other drags.
 */
export function listenForDrags(
  host: HTMLElement,
  camera: PerspectiveCamera,
  currentHandles: () => Handles | undefined,
): void {
  const pointer = new GroundPointer(host, camera);
  host.addEventListener(
    "pointerdown",
    (event) => {
      const handles = currentHandles();
      if (event.button !== 0 || !event.isPrimary || !handles) return;
      const hit = findHandle(pointer, handles, event);
      if (hit) startDrag(host, pointer, event, hit, handles);
      else detectPress(host, pointer, event, handles);
    },
    { capture: true },
  );
  host.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return;
    const handles = currentHandles();
    const hit = handles && findHandle(pointer, handles, event);
    host.classList.toggle("can-drag", hit?.changes === "position");
    host.classList.toggle("can-turn", hit?.changes === "heading");
  });
}

/**
 * Returns the handle whose arrow, ring or figure is under the pointer. Arrows take precedence over rings and figures,
 * and selected handles over others.
 */
function findHandle(pointer: GroundPointer, { list, height }: Handles, event: PointerEvent): Hit | undefined {
  const grabPixels = event.pointerType === "touch" ? TOUCH_GRAB_PIXELS : GRAB_PIXELS;
  const ordered = [...list].sort((a, b) => Number(b.selected) - Number(a.selected));
  const grabDistance = 0.9 * ARROW_TIP * height;
  const byArrow = ordered.find(({ x, z, heading }) => {
    const [pixelX, pixelY] = pointer.toPixels(
      x + grabDistance * Math.sin(heading),
      0,
      z + grabDistance * Math.cos(heading),
    );
    return Math.hypot(event.clientX - pixelX, event.clientY - pixelY) < grabPixels;
  });
  if (byArrow) return { handle: byArrow, changes: "heading" };
  const ground = pointer.groundUnder(event);
  const handle = ordered.find(
    ({ x, z }) =>
      (ground && Math.hypot(ground.x - x, ground.z - z) < RING_RADIUS * 1.1 * height) ||
      isOverFigure(pointer, { x, z, height }, event, grabPixels),
  );
  return handle && { handle, changes: "position" };
}

/** Whether the pointer is over a figure: a strip from feet to head, whose half width is at least `grabPixels`. */
function isOverFigure(
  pointer: GroundPointer,
  { x, z, height }: { x: number; z: number; height: number },
  event: PointerEvent,
  grabPixels: number,
): boolean {
  const [footX, footY] = pointer.toPixels(x, 0, z);
  const [headX, headY] = pointer.toPixels(x, height, z);
  const heightFraction = (event.clientY - footY) / Math.min(-1, headY - footY);
  const halfWidth = Math.max(grabPixels, 0.14 * Math.abs(headY - footY));
  const centerX = footX + heightFraction * (headX - footX);
  return heightFraction > 0 && heightFraction < 1.05 && Math.abs(event.clientX - centerX) < halfWidth;
}

/** Reports a short press on the ground. The camera receives the events too, and turns if the press becomes a drag. */
function detectPress(host: HTMLElement, pointer: GroundPointer, down: PointerEvent, { onGround }: Handles): void {
  const ground = pointer.groundUnder(down);
  if (!onGround || !ground) return;
  host.addEventListener(
    "pointerup",
    (up) => {
      const distance = Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY);
      const duration = up.timeStamp - down.timeStamp;
      if (up.pointerId === down.pointerId && distance < MAX_PRESS_PIXELS && duration < MAX_PRESS_MS)
        onGround(ground.x, ground.z);
    },
    { once: true },
  );
}

/** Moves or rotates a handle with the pointer until the button is released. The camera does not receive the press. */
function startDrag(
  host: HTMLElement,
  pointer: GroundPointer,
  down: PointerEvent,
  { handle, changes }: Hit,
  { onSelect, onMove }: Handles,
): void {
  down.stopPropagation();
  const { id } = handle;
  const initial: GroundPose = { x: handle.x, z: handle.z, heading: handle.heading };
  // A figure may be grabbed above the horizon, where the pointer is over no ground: so its feet follow the pointer.
  const [footX, footY] = pointer.toPixels(initial.x, 0, initial.z);
  // The feet may be behind the camera, while a part of the ring is in front of it.
  const hasOffset = changes === "position" && Number.isFinite(footX);
  const [offsetX, offsetY] = hasOffset ? [footX - down.clientX, footY - down.clientY] : [0, 0];
  let latest = initial;
  host.setPointerCapture(down.pointerId);
  host.classList.add("dragging");
  onSelect(id);
  const move = (event: PointerEvent): void => {
    // The moves of other fingers belong to the camera.
    if (event.pointerId !== down.pointerId) return;
    const ground = pointer.groundUnder({ clientX: event.clientX + offsetX, clientY: event.clientY + offsetY });
    if (!ground) return;
    latest =
      changes === "heading"
        ? { ...initial, heading: Math.atan2(ground.x - initial.x, ground.z - initial.z) }
        : { ...initial, ...ground };
    onMove(id, latest, false);
  };
  const end = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    host.removeEventListener("pointermove", move);
    host.removeEventListener("pointerup", end);
    host.removeEventListener("pointercancel", end);
    host.classList.remove("dragging");
    if (latest !== initial) onMove(id, latest, true);
  };
  host.addEventListener("pointermove", move);
  host.addEventListener("pointerup", end);
  host.addEventListener("pointercancel", end);
}
