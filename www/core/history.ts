/** Undo and redo over whole documents. */

interface Step<T> {
  value: T;
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  time: number;
}

/** Undo history of a document: its past, present and future states. */
export class History<T> {
  #past: Step<T>[] = [];
  #present: Step<T>;
  #future: Step<T>[] = [];
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

  /** Time of the step that undo would revert, and of the one that redo would repeat; `undefined` without one. */
  get undoAt(): number | undefined {
    return this.#past.length ? this.#present.time : undefined;
  }

  get redoAt(): number | undefined {
    return this.#future.at(-1)?.time;
  }

  /** Returns a function that restores the present document, with its steps. */
  capture(): () => void {
    const [past, now, future] = [[...this.#past], this.#present, [...this.#future]];
    return () => {
      this.#past = [...past];
      this.#present = now;
      this.#future = [...future];
      this.seal();
    };
  }

  /**
   * Steps with the same `key` less than `within` milliseconds apart (a held key, a drag until it is sealed) count as
   * one.
   */
  push(value: T, label: string, key?: string, within = 1000): void {
    if (value === this.value) return;
    const now = performance.now();
    const merge = key !== undefined && key === this.#key && now - this.#present.time < within;
    if (!merge) this.#past.push(this.#present);
    if (this.#past.length > 200) this.#past.shift();
    this.#present = { value, label, time: now };
    this.#future = [];
    this.#key = key;
  }

  /** Changes all steps alike, without a step of its own; for a new default. */
  rewrite(change: (value: T) => T): void {
    const changed = (step: Step<T>): Step<T> => ({ ...step, value: change(step.value) });
    this.#past = this.#past.map(changed);
    this.#present = changed(this.#present);
    this.#future = this.#future.map(changed);
  }

  /** Ends a merged step: the next push is a step of its own. */
  seal(): void {
    this.#key = undefined;
  }

  /** Replaces the document and forgets the past. */
  reset(value: T): void {
    this.#past = [];
    this.#future = [];
    this.#present = { value, label: "", time: 0 };
    this.seal();
  }

  undo(): string | undefined {
    const step = this.#past.pop();
    if (!step) return undefined;
    const { label } = this.#present;
    this.#future.push(this.#present);
    this.#present = step;
    this.seal();
    return label;
  }

  redo(): string | undefined {
    const step = this.#future.pop();
    if (!step) return undefined;
    this.#past.push(this.#present);
    this.#present = step;
    this.seal();
    return step.label;
  }
}
