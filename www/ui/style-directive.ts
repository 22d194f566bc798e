/**
 * Directive that sets styles of an element by script. lit's `styleMap` writes a style attribute first, which the page's
 * security policy forbids.
 */
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

/** Sets styles of an element; written like an attribute: `<i ${styled({ left: "10%" })}>`. */
export const styled = directive(StyleDirective);
