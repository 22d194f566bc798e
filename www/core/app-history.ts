/** Undo and redo of steps outside the modes' own histories: opened projects, fresh starts, the character. */

/** Returns a function that restores the present state. */
export type Capture = () => () => void;

interface Step {
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  at: number;
  capture: Capture;
  /** Goes to the other side of the step. */
  go: () => void;
}

/** Largest number of steps; each may hold files of the user in memory. */
const MOST = 20;

/** The undo history of those steps. */
export class AppHistory {
  #past: Step[] = [];
  #future: Step[] = [];
  /** Time of the last undo. */
  #undone = 0;

  /** Adds a step that was just made; `back` restores the state before it. */
  push(label: string, capture: Capture, back: () => void): void {
    this.#past.push({ label, at: performance.now(), capture, go: back });
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
  }

  get undoAt(): number | undefined {
    return this.#past.at(-1)?.at;
  }

  get undoLabel(): string | undefined {
    return this.#past.at(-1)?.label;
  }

  get redoAt(): number | undefined {
    return this.#future.at(-1)?.at;
  }

  get redoLabel(): string | undefined {
    return this.#future.at(-1)?.label;
  }

  /** Time of the last undo: edits after it are not undone by redoing the step. */
  get undone(): number {
    return this.#undone;
  }

  undo(): string | undefined {
    this.#undone = performance.now();
    return this.#move(this.#past, this.#future);
  }

  redo(): string | undefined {
    return this.#move(this.#future, this.#past);
  }

  #move(from: Step[], to: Step[]): string | undefined {
    const step = from.pop();
    if (!step) return undefined;
    const back = step.capture();
    step.go();
    to.push({ ...step, go: back });
    return step.label;
  }
}
