/**
 * A pattern of file names as a nondeterministic automaton (Thompson 1968). A name is read once; after each letter, the
 * set of reachable states is known. The time is at most proportional to letters × length of the pattern; a regular
 * expression would backtrack.
 */

/** Largest number of letters in a pattern. */
const MAX_LETTERS = 4096;

/** Largest nesting of braces. */
const MAX_NESTING = 32;

/** A state. A letter that `accepts` allows leads to `next`; the states of `empty` are reached without a letter. */
interface State {
  accepts?: (letter: string) => boolean;
  next?: number;
  empty: number[];
}

/** Set of reachable states. */
export type States = ReadonlySet<number>;

/** A file name pattern with wildcards and braces, as an automaton. */
export class Pattern {
  readonly #states: readonly State[];
  readonly #acceptingState: number;
  /** States before the first letter. */
  readonly start: States;

  private constructor(states: readonly State[], first: number, acceptingState: number) {
    this.#states = states;
    this.#acceptingState = acceptingState;
    this.start = this.#addEmptySteps([first]);
  }

  /** Parses a pattern; `undefined` if it is invalid, such as [z-a], nested too deeply, or too long. */
  static parse(text: string): Pattern | undefined {
    if (text.length > MAX_LETTERS) return undefined;
    const builder = new Builder(text);
    const last = builder.parseSequence(builder.first, 0);
    return last === undefined ? undefined : new Pattern(builder.states, builder.first, last);
  }

  /** Returns the states reached from `states` by some letters. */
  advance(states: States, letters: string): States {
    let current = states;
    for (const letter of letters) {
      const next: number[] = [];
      for (const index of current) {
        const state = this.#states[index];
        if (state?.next !== undefined && state.accepts?.(letter)) next.push(state.next);
      }
      current = this.#addEmptySteps(next);
      if (current.size === 0) break;
    }
    return current;
  }

  /** Whether a name that leads to `states` matches the whole pattern. */
  accepts(states: States): boolean {
    return states.has(this.#acceptingState);
  }

  /** Adds the states that are reachable without a letter. */
  #addEmptySteps(states: number[]): States {
    const reachable = new Set(states);
    for (const index of reachable) for (const next of this.#states[index]?.empty ?? []) reachable.add(next);
    return reachable;
  }
}

/** Parses a pattern from left to right and adds the states of each wildcard, letter or brace after the last state. */
class Builder {
  readonly states: State[] = [];
  readonly first = this.#addState();
  readonly #letters: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#letters = [...text];
  }

  /**
   * Parses to the end of the pattern, or to the end of an alternative in braces. Returns the last state; `undefined` if
   * the pattern is invalid.
   */
  parseSequence(from: number, depth: number): number | undefined {
    let state: number | undefined = from;
    while (state !== undefined && this.#position < this.#letters.length) {
      const letter = this.#letters[this.#position] as string;
      if (depth > 0 && (letter === "," || letter === "}")) break;
      state = this.#parseElement(state, letter, depth);
    }
    return state;
  }

  /** Parses one letter, wildcard, range or brace. */
  #parseElement(from: number, element: string, depth: number): number | undefined {
    if (element === "*") return this.#parseStar(from);
    if (element === "?") return this.#addLetter(from, (letter) => letter !== "/");
    if (element === "[") return this.#parseRange(from);
    if (element === "{" && this.#isClosed())
      return depth < MAX_NESTING ? this.#parseChoice(from, depth + 1) : undefined;
    return this.#addLetter(from, (letter) => letter === element);
  }

  /** Parses `*`, which does not match "/", or `**`, which matches any number of folders. */
  #parseStar(from: number): number {
    const letters = this.#letters;
    const isFolders =
      letters[this.#position + 1] === "*" &&
      [undefined, "/"].includes(letters[this.#position - 1]) &&
      [undefined, "/"].includes(letters[this.#position + 2]);
    while (letters[this.#position] === "*") this.#position++;
    const to = this.#addState();
    const loop = this.#addState();
    this.#stateAt(from).empty.push(loop);
    Object.assign(this.#stateAt(loop), { accepts: (letter: string) => isFolders || letter !== "/", next: loop });
    if (!isFolders || letters[this.#position] !== "/") {
      this.#stateAt(loop).empty.push(to);
      return to;
    }
    // "**/" matches any number of whole folders, also none.
    this.#position++;
    const slash = this.#addState();
    this.#stateAt(loop).empty.push(slash);
    Object.assign(this.#stateAt(slash), { accepts: (letter: string) => letter === "/", next: to });
    this.#stateAt(from).empty.push(to);
    return to;
  }

  /** Parses `[a-c]` or `[!a-c]`; a bracket that is not closed is an ordinary letter. */
  #parseRange(from: number): number | undefined {
    const [, negation, content] = /^\[(!?)([^\]\\/]+)\]/.exec(this.#letters.slice(this.#position).join("")) ?? [];
    if (content === undefined) return this.#addLetter(from, (letter) => letter === "[");
    const letters = [...content];
    const ranges: [string, string][] = [];
    for (let index = 0; index < letters.length; index++) {
      const low = letters[index] as string;
      const isRange = letters[index + 1] === "-" && index + 2 < letters.length;
      const high = isRange ? (letters[index + 2] as string) : low;
      if (isRange) index += 2;
      if (low > high) return undefined;
      ranges.push([low, high]);
    }
    this.#position += letters.length + (negation ? 1 : 0) + 1;
    return this.#addLetter(
      from,
      (letter) =>
        letter !== "/" && ranges.some(([low, high]) => letter >= low && letter <= high) !== (negation === "!"),
    );
  }

  /** Parses `{a,b}`: one of several alternatives. */
  #parseChoice(from: number, depth: number): number | undefined {
    const to = this.#addState();
    do {
      this.#position++;
      const end = this.parseSequence(this.#addBranch(from), depth);
      if (end === undefined) return undefined;
      this.#stateAt(end).empty.push(to);
    } while (this.#letters[this.#position] === ",");
    this.#position++;
    return to;
  }

  /** Whether the brace at the current position is closed. */
  #isClosed(): boolean {
    let open = 0;
    for (let index = this.#position; index < this.#letters.length; index++) {
      if (this.#letters[index] === "{") open++;
      if (this.#letters[index] === "}" && --open === 0) return true;
    }
    return false;
  }

  /** Adds a transition that reads one letter of the name. */
  #addLetter(from: number, accepts: (letter: string) => boolean): number {
    const [state, to] = [this.#addBranch(from), this.#addState()];
    Object.assign(this.#stateAt(state), { accepts, next: to });
    this.#position++;
    return to;
  }

  /** Adds a state that is reached from `from` without a letter. */
  #addBranch(from: number): number {
    const state = this.#addState();
    this.#stateAt(from).empty.push(state);
    return state;
  }

  #addState(): number {
    return this.states.push({ empty: [] }) - 1;
  }

  #stateAt(state: number): State {
    return this.states[state] as State;
  }
}
