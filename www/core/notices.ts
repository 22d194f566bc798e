/** Short messages at the foot of the page, and questions that stay until answered. */

/** A button beside a message. */
export interface NoticeAction {
  label: string;
  run(): void;
}

/** A short message. */
export interface Notice {
  text: string;
  kind: "info" | "error";
}

/** A message that stays until one of its buttons, or its cross, is pressed. */
export interface Question extends Notice {
  /** A question replaces another one with the same subject. */
  topic: string;
  actions: readonly NoticeAction[];
}

/** The shown message, and open questions. */
export class Notices {
  current: Notice | undefined;
  questions: readonly Question[] = [];
  #timer = 0;
  #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  show(text: string, kind: Notice["kind"] = "info"): void {
    this.current = { text, kind };
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(
      () => {
        this.current = undefined;
        this.#changed();
      },
      kind === "error" ? 9000 : 3500,
    );
    this.#changed();
  }

  ask(question: Question): void {
    this.questions = [...this.questions.filter(({ topic: about }) => about !== question.topic), question];
    this.#changed();
  }

  dismiss(question: Question): void {
    this.questions = this.questions.filter((other) => other !== question);
    this.#changed();
  }
}
