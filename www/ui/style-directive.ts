/** Styles of one element by script: lit's own `styleMap` first writes a style attribute, which our policy forbids. */
import { noChange, type ElementPart } from "lit-html";
import { Directive, directive } from "lit-html/directive.js";

class StyleDirective extends Directive {
  override render(_styles: Record<string, string>): typeof noChange {
    return noChange;
  }

  override update(part: ElementPart, [styles]: [Record<string, string>]): typeof noChange {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) {
      if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
    }
    return noChange;
  }
}

/** Used in the place of an attribute: `<i ${styled({ left: "10%" })}>`. */
export const styled = directive(StyleDirective);
