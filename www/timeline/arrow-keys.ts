/** Keyboard control of sliders on a timeline. */

/**
 * Returns the frames by which a key press changes a slider: 1 for arrows, 10 for page keys, ten times as many with
 * Shift, `total` for Home and End. The page's commands do not receive these keys. Returns `undefined` for other keys.
 */
export function arrowFrames(event: KeyboardEvent, total: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
    Home: -total,
    End: total,
  };
  const step = steps[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return step * (event.shiftKey ? 10 : 1);
}
