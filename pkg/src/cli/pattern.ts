/**
 * A pattern of file names as a nondeterministic automaton (Thompson 1968): a name is read once, with the set of
 * states reachable by its letters so far. The time is at most letters × length of the pattern; regular expressions
 * would backtrack.
 */

/** Largest number of letters in a pattern. */
const LONGEST = 4096;

/** Largest nesting of braces. */
const DEEPEST = 32;

/** A state: a letter accepted by `takes` leads to `next`; each state of `free` is reached without a letter. */
interface State {
  takes?: (letter: string) => boolean;
  next?: number;
  free: number[];
}

/** Set of reachable states. */
export type States = ReadonlySet<number>;

/** A file name pattern with wildcards and braces, as an automaton. */
export class Pattern {
  readonly #states: readonly State[];
  readonly #last: number;
  /** States before the first letter. */
  readonly start: States;

  private constructor(states: readonly State[], first: number, last: number) {
    this.#states = states;
    this.#last = last;
    this.start = this.#closed([first]);
  }

  /** Parses a pattern; `undefined` where it is invalid: a range such as [z-a], or more than 4,096 letters. */
  static of(text: string): Pattern | undefined {
    if (text.length > LONGEST) return undefined;
    const builder = new Builder(text);
    const last = builder.sequence(builder.first, 0);
    return last === undefined ? undefined : new Pattern(builder.states, builder.first, last);
  }

  /** States reached from `states` by some letters. */
  step(states: States, letters: string): States {
    let now = states;
    for (const letter of letters) {
      const next: number[] = [];
      for (const index of now) {
        const state = this.#states[index];
        if (state?.next !== undefined && state.takes?.(letter)) next.push(state.next);
      }
      now = this.#closed(next);
      if (now.size === 0) break;
    }
    return now;
  }

  /** Whether `states` accept the name. */
  accepts(states: States): boolean {
    return states.has(this.#last);
  }

  /** The states with those reachable from them without a letter. */
  #closed(states: number[]): States {
    const found = new Set(states);
    for (const index of found) for (const next of this.#states[index]?.free ?? []) found.add(next);
    return found;
  }
}

/** Parses a pattern from left to right and appends each part after the last state. */
class Builder {
  readonly states: State[] = [];
  readonly first = this.#state();
  readonly #letters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#letters = [...text];
  }

  /**
   * Parses to the end, or to the end of an alternative in braces; returns the last state, `undefined` where the
   * pattern is invalid.
   */
  sequence(from: number, depth: number): number | undefined {
    let state: number | undefined = from;
    while (state !== undefined && this.#at < this.#letters.length) {
      const letter = this.#letters[this.#at] as string;
      if (depth > 0 && (letter === "," || letter === "}")) break;
      state = this.#part(state, letter, depth);
    }
    return state;
  }

  #part(from: number, letter: string, depth: number): number | undefined {
    if (letter === "*") return this.#star(from);
    if (letter === "?") return this.#take(from, (found) => found !== "/");
    if (letter === "[") return this.#range(from);
    if (letter === "{" && this.#isClosed()) return depth < DEEPEST ? this.#choice(from, depth + 1) : undefined;
    return this.#take(from, (found) => found === letter);
  }

  #star(from: number): number {
    const letters = this.#letters;
    const isFolders =
      letters[this.#at + 1] === "*" &&
      [undefined, "/"].includes(letters[this.#at - 1]) &&
      [undefined, "/"].includes(letters[this.#at + 2]);
    while (letters[this.#at] === "*") this.#at++;
    const to = this.#state();
    const loop = this.#state();
    this.#edit(from).free.push(loop);
    Object.assign(this.#edit(loop), { takes: (found: string) => isFolders || found !== "/", next: loop });
    if (!isFolders || letters[this.#at] !== "/") {
      this.#edit(loop).free.push(to);
      return to;
    }
    // "**/" matches any number of whole folders, also none.
    this.#at++;
    const slash = this.#state();
    this.#edit(loop).free.push(slash);
    Object.assign(this.#edit(slash), { takes: (found: string) => found === "/", next: to });
    this.#edit(from).free.push(to);
    return to;
  }

  /** `[a-c]`, or `[!a-c]`; a bracket that is not closed is an ordinary letter. */
  #range(from: number): number | undefined {
    const [, not, inside] = /^\[(!?)([^\]\\/]+)\]/.exec(this.#letters.slice(this.#at).join("")) ?? [];
    if (inside === undefined) return this.#take(from, (found) => found === "[");
    const letters = [...inside];
    const ranges: [string, string][] = [];
    for (let at = 0; at < letters.length; at++) {
      const low = letters[at] as string;
      const isRange = letters[at + 1] === "-" && at + 2 < letters.length;
      const high = isRange ? (letters[at + 2] as string) : low;
      if (isRange) at += 2;
      if (low > high) return undefined;
      ranges.push([low, high]);
    }
    this.#at += letters.length + (not ? 1 : 0) + 1;
    return this.#take(
      from,
      (found) => found !== "/" && ranges.some(([low, high]) => found >= low && found <= high) !== (not === "!"),
    );
  }

  /** `{a,b}`: one of several alternatives. */
  #choice(from: number, depth: number): number | undefined {
    const to = this.#state();
    do {
      this.#at++;
      const end = this.sequence(this.#branch(from), depth);
      if (end === undefined) return undefined;
      this.#edit(end).free.push(to);
    } while (this.#letters[this.#at] === ",");
    this.#at++;
    return to;
  }

  /** Whether this brace is closed. */
  #isClosed(): boolean {
    let open = 0;
    for (let at = this.#at; at < this.#letters.length; at++) {
      if (this.#letters[at] === "{") open++;
      if (this.#letters[at] === "}" && --open === 0) return true;
    }
    return false;
  }

  #take(from: number, takes: (letter: string) => boolean): number {
    const [step, to] = [this.#branch(from), this.#state()];
    Object.assign(this.#edit(step), { takes, next: to });
    this.#at++;
    return to;
  }

  /** A new state reached from `from` without a letter. */
  #branch(from: number): number {
    const state = this.#state();
    this.#edit(from).free.push(state);
    return state;
  }

  #state(): number {
    return this.states.push({ free: [] }) - 1;
  }

  #edit(state: number): State {
    return this.states[state] as State;
  }
}
