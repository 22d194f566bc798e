/** The short message at the foot of the page. */

export interface Notice {
  text: string;
  kind: "info" | "error";
}

export class Notices {
  shown: Notice | undefined;
  #timer = 0;
  #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  tell(text: string, kind: Notice["kind"] = "info"): void {
    this.shown = { text, kind };
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.shown = undefined;
      this.#changed();
    }, kind === "error" ? 9000 : 3500);
    this.#changed();
  }
}
