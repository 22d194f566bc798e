/** Keys of a slider on a timeline. */

/**
 * Frames by which a key press changes a slider: 1 for arrows, 10 with Shift and for page keys, `all` for Home and End.
 * `undefined` for other keys, which reach the commands of the page.
 */
export function arrowFrames(event: KeyboardEvent, all: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
    Home: -all,
    End: all,
  };
  const step = steps[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return step * (event.shiftKey ? 10 : 1);
}
