/**
 * Undo and redo of changes that concern more than the document of one mode: opening a project, starting a new one,
 * replacing the character. Each mode has its own `History` for its document.
 */

/** Remembers the current state, and returns a function that restores it. */
export type Capture = () => () => void;

interface Step {
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  time: number;
  capture: Capture;
  /** Restores the state before the step for undo, and the state after it for redo. */
  restore: () => void;
}

/** Maximum number of steps. Each may keep files of the user in memory. */
const MAX_STEPS = 20;

/** Undo history of changes that concern more than one mode. */
export class AppHistory {
  #past: Step[] = [];
  #future: Step[] = [];
  /** As `performance.now()`. */
  #lastUndoTime = 0;

  /** Adds a step after its change was made. `restore` restores the state before the change. */
  push(label: string, capture: Capture, restore: () => void): void {
    this.#past.push({ label, time: performance.now(), capture, restore });
    if (this.#past.length > MAX_STEPS) this.#past.shift();
    this.#future = [];
  }

  get undoAt(): number | undefined {
    return this.#past.at(-1)?.time;
  }

  get undoLabel(): string | undefined {
    return this.#past.at(-1)?.label;
  }

  get redoAt(): number | undefined {
    return this.#future.at(-1)?.time;
  }

  get redoLabel(): string | undefined {
    return this.#future.at(-1)?.label;
  }

  /**
   * Time of the last undo. A step is not redone if a document was edited after that time, as redo would discard the
   * edit.
   */
  get lastUndoTime(): number {
    return this.#lastUndoTime;
  }

  /** Reverts a step, and returns its label; `undefined` if there is none. */
  undo(): string | undefined {
    this.#lastUndoTime = performance.now();
    return this.#move(this.#past, this.#future);
  }

  /** Repeats the step that was reverted last, and returns its label; `undefined` if there is none. */
  redo(): string | undefined {
    return this.#move(this.#future, this.#past);
  }

  #move(from: Step[], to: Step[]): string | undefined {
    const step = from.pop();
    if (!step) return undefined;
    const restore = step.capture();
    step.restore();
    to.push({ ...step, restore });
    return step.label;
  }
}
