/** Undo and redo of steps outside the modes' own histories: opened projects, fresh starts, the character. */

/** Returns a function that restores the present state. */
export type Capture = () => () => void;

interface Step {
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  time: number;
  capture: Capture;
  /** Goes to the other side of the step. */
  restore: () => void;
}

/** Largest number of steps; each may hold files of the user in memory. */
const MAX_STEPS = 20;

/** The undo history of those steps. */
export class AppHistory {
  #past: Step[] = [];
  #future: Step[] = [];
  /** Time of the last undo. */
  #lastUndoTime = 0;

  /** Adds a step that was just made; `back` restores the state before it. */
  push(label: string, capture: Capture, restore: () => void): void {
    this.#past.push({ label, time: performance.now(), capture, restore: restore });
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

  /** Time of the last undo: edits after it are not undone by redoing the step. */
  get lastUndoTime(): number {
    return this.#lastUndoTime;
  }

  undo(): string | undefined {
    this.#lastUndoTime = performance.now();
    return this.#move(this.#past, this.#future);
  }

  redo(): string | undefined {
    return this.#move(this.#future, this.#past);
  }

  #move(from: Step[], to: Step[]): string | undefined {
    const step = from.pop();
    if (!step) return undefined;
    const back = step.capture();
    step.restore();
    to.push({ ...step, restore: back });
    return step.label;
  }
}
