/** Undo and redo over whole documents. */

interface Step<T> {
  value: T;
  /** Label of the step for the undo button. */
  label: string;
  /** Time of the step, as `performance.now()`. */
  at: number;
}

/** Undo history of a document: its past, present and future states. */
export class History<T> {
  #past: Step<T>[] = [];
  #now: Step<T>;
  #future: Step<T>[] = [];
  #key: string | undefined;

  constructor(value: T) {
    this.#now = { value, label: "", at: 0 };
  }

  get value(): T {
    return this.#now.value;
  }

  /** Label of the step that undo would revert. */
  get undoLabel(): string | undefined {
    return this.#past.length ? this.#now.label : undefined;
  }

  get redoLabel(): string | undefined {
    return this.#future.at(-1)?.label;
  }

  /** Time of the step that undo would revert, and of the one that redo would repeat; `undefined` without one. */
  get undoAt(): number | undefined {
    return this.#past.length ? this.#now.at : undefined;
  }

  get redoAt(): number | undefined {
    return this.#future.at(-1)?.at;
  }

  /** Returns a function that restores the present document, with its steps. */
  capture(): () => void {
    const [past, now, future] = [[...this.#past], this.#now, [...this.#future]];
    return () => {
      this.#past = [...past];
      this.#now = now;
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
    const merge = key !== undefined && key === this.#key && now - this.#now.at < within;
    if (!merge) this.#past.push(this.#now);
    if (this.#past.length > 200) this.#past.shift();
    this.#now = { value, label, at: now };
    this.#future = [];
    this.#key = key;
  }

  /** Changes all steps alike, without a step of its own; for a new default. */
  rewrite(change: (value: T) => T): void {
    const changed = (step: Step<T>): Step<T> => ({ ...step, value: change(step.value) });
    this.#past = this.#past.map(changed);
    this.#now = changed(this.#now);
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
    this.#now = { value, label: "", at: 0 };
    this.seal();
  }

  undo(): string | undefined {
    const step = this.#past.pop();
    if (!step) return undefined;
    const { label } = this.#now;
    this.#future.push(this.#now);
    this.#now = step;
    this.seal();
    return label;
  }

  redo(): string | undefined {
    const step = this.#future.pop();
    if (!step) return undefined;
    this.#past.push(this.#now);
    this.#now = step;
    this.seal();
    return step.label;
  }
}
