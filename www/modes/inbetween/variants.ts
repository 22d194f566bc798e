/** Variants: motions of one method with different seeds. All are computed; the user chooses one. */
import { html, type TemplateResult } from "lit-html";
import type { Library } from "../../core/library";
import { newVariants, chooseVariant, VARIANTS, type Document } from "./document";
import type { Inbetween } from "./inbetween";
import { hasOption } from "./methods";
import { Solver, type SolvedMotion } from "./solver";

/** A variant that is not chosen. */
export interface OtherVariant {
  /** Index of the variant. */
  variant: number;
  /** Returns the motion of the variant; `undefined` until it is computed. */
  solved: () => SolvedMotion | undefined;
}

/** Solvers of the variants. */
export class Variants {
  /** One solver for each variant. The solver of the chosen variant is idle: the mode itself solves that motion. */
  readonly #solvers: readonly Solver[];

  constructor(library: Library, onChange: () => void) {
    this.#solvers = Array.from({ length: VARIANTS }, () => new Solver(library, onChange));
  }

  /** Call after every edit. During a drag, the other variants are not solved. */
  update(document: Document, dragging: boolean): void {
    if (dragging) return;
    for (const { variant } of this.others(document))
      this.#solvers[variant]?.update(chooseVariant(document, variant), document.method);
  }

  /** Returns the variants that are not chosen; none for methods without seeds. */
  others({ method, variant: chosen, keys }: Document): OtherVariant[] {
    if (!hasOption(method, "seed") || keys.length < 2) return [];
    const variants = Array.from({ length: VARIANTS }, (_, variant) => ({
      variant,
      solved: () => this.#solvers[variant]?.solved,
    }));
    return variants.filter(({ variant }) => variant !== chosen);
  }
}

/** Renders the choice of the variant, and a button for new variants. */
export function variantFields(mode: Inbetween): TemplateResult {
  const { variant: chosen } = mode.document;
  return html`<div class="network"><div class="row" role="group" aria-label="Motions">
    ${Array.from(
      { length: VARIANTS },
      (_, variant) =>
        html`<button class="button small" type="button" aria-pressed=${variant === chosen} @click=${() =>
          mode.edit("use another motion", (document) =>
            chooseVariant(document, variant),
          )}>Motion ${variant + 1}</button>`,
    )}
    <button class="button small" type="button" @click=${() => mode.edit("new motions", newVariants)}>New motions</button>
  </div></div>`;
}
