/** Pointer drags on timelines. */

/**
 * Follows the pointer of a press until it is released or cancelled. The listeners are on the window, because an edit
 * during the drag may remove the pressed element. Other pointers, such as a second finger, are ignored.
 */
export function followPointer(
  down: PointerEvent,
  onMove: (event: PointerEvent) => void,
  onEnd: (event: PointerEvent) => void,
): void {
  (down.currentTarget as HTMLElement).setPointerCapture(down.pointerId);
  const move = (event: PointerEvent): void => {
    if (event.pointerId === down.pointerId) onMove(event);
  };
  const end = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
    onEnd(event);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
}
