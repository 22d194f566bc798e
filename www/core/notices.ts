/** Messages at the foot of the page: notices, which disappear after some seconds, and questions, which stay. */

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

/** A message that stays until the user presses one of its buttons or closes it. */
export interface Question extends Notice {
  /** A question replaces an earlier one with the same topic. */
  topic: string;
  actions: readonly NoticeAction[];
}

/** Display times of a notice, milliseconds. */
const [ERROR_MS, INFO_MS] = [9000, 3500];

/** The displayed notice, and the open questions. */
export class Notices {
  current: Notice | undefined;
  questions: readonly Question[] = [];
  #timer = 0;
  #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  show(text: string, kind: Notice["kind"] = "info"): void {
    this.current = { text, kind };
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(
      () => {
        this.current = undefined;
        this.#onChange();
      },
      kind === "error" ? ERROR_MS : INFO_MS,
    );
    this.#onChange();
  }

  ask(question: Question): void {
    this.questions = [...this.questions.filter(({ topic }) => topic !== question.topic), question];
    this.#onChange();
  }

  dismiss(question: Question): void {
    this.questions = this.questions.filter((other) => other !== question);
    this.#onChange();
  }
}
