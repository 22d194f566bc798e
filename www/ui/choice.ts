/**
 * Directive that sets the value of a `<select>` after its options are rendered. As a property, the value would be set
 * before, and lost.
 */
import { noChange, type ElementPart } from "lit-html";
import { Directive, directive } from "lit-html/directive.js";

class ChoiceDirective extends Directive {
  override render(_value: string): typeof noChange {
    return noChange;
  }

  override update(part: ElementPart, [value]: [string]): typeof noChange {
    const select = part.element as HTMLSelectElement;
    queueMicrotask(() => {
      if (select.value !== value) select.value = value;
    });
    return noChange;
  }
}

/** Sets the value of a `<select>`; written like an attribute: `<select ${choice("b")}>`. */
export const choice = directive(ChoiceDirective);
