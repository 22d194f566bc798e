/** Undo and redo of what no mode's own history holds: opened projects, beginning anew, the character. */

/** Returns a function that brings back the state of now. */
export type Capture = () => () => void;

interface Step {
  /** What was done, for the button's label. */
  label: string;
  /** When, as `performance.now()`. */
  at: number;
  capture: Capture;
  /** Goes to the other side of the step. */
  go: () => void;
}

/** Each may hold files of the user's in memory. */
const MOST = 20;

export class Steps {
  #past: Step[] = [];
  #future: Step[] = [];
  /** When a step was taken back last. */
  #undone = 0;

  /** A step that was made just now; `back` goes to the state before it. */
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

  /** When a step was taken back last: what was edited after it is not undone by doing that step again. */
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
