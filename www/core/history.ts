/** Undo and redo of edits of a document: each step stores a whole document, which is never changed in place. */

interface Step<T> {
  value: T;
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  time: number;
}

/** Maximum number of undo steps of a document. */
const MAX_STEPS = 200;

/** Undo history of a document: its past, present and future states. */
export class History<T> {
  #past: Step<T>[] = [];
  #present: Step<T>;
  #future: Step<T>[] = [];
  /** Key of the last push: a push with an equal key may be merged with it. */
  #key: string | undefined;

  constructor(value: T) {
    this.#present = { value, label: "", time: 0 };
  }

  get value(): T {
    return this.#present.value;
  }

  /** Label of the step that undo would revert. */
  get undoLabel(): string | undefined {
    return this.#past.length ? this.#present.label : undefined;
  }

  get redoLabel(): string | undefined {
    return this.#future.at(-1)?.label;
  }

  /** Time of the step that undo would revert; `undefined` if there is none. */
  get undoAt(): number | undefined {
    return this.#past.length ? this.#present.time : undefined;
  }

  /** Time of the step that redo would repeat; `undefined` if there is none. */
  get redoAt(): number | undefined {
    return this.#future.at(-1)?.time;
  }

  /** Returns a function that restores the current document, with its undo and redo steps. */
  capture(): () => void {
    const [past, present, future] = [[...this.#past], this.#present, [...this.#future]];
    return () => {
      this.#past = [...past];
      this.#present = present;
      this.#future = [...future];
      this.seal();
    };
  }

  /**
   * Sets the document, as a new step. If `key` equals that of the previous push, and less than `within` milliseconds
   * have passed, both become one step: for a keyboard key that is held down, or for a drag until {@link seal}.
   */
  push(value: T, label: string, key?: string, within = 1000): void {
    if (value === this.value) return;
    const now = performance.now();
    const isMerged = key !== undefined && key === this.#key && now - this.#present.time < within;
    if (!isMerged) this.#past.push(this.#present);
    if (this.#past.length > MAX_STEPS) this.#past.shift();
    this.#present = { value, label, time: now };
    this.#future = [];
    this.#key = key;
  }

  /** Ends a merged step: the next push adds a new step. */
  seal(): void {
    this.#key = undefined;
  }

  /** Replaces the document and removes all steps. */
  reset(value: T): void {
    this.#past = [];
    this.#future = [];
    this.#present = { value, label: "", time: 0 };
    this.seal();
  }

  /** Reverts a step, and returns its label; `undefined` if there is none. */
  undo(): string | undefined {
    const step = this.#past.pop();
    if (!step) return undefined;
    const { label } = this.#present;
    this.#future.push(this.#present);
    this.#present = step;
    this.seal();
    return label;
  }

  /** Repeats the step that was reverted last, and returns its label; `undefined` if there is none. */
  redo(): string | undefined {
    const step = this.#future.pop();
    if (!step) return undefined;
    this.#past.push(this.#present);
    this.#present = step;
    this.seal();
    return step.label;
  }
}
