/** Variants of a method with seeds: three are computed, one is chosen. */
import { html, type TemplateResult } from "lit-html";
import type { Library } from "../../core/library";
import { otherVariants, takeVariant, VARIANTS, type Document } from "./document";
import type { Inbetween } from "./inbetween";
import { hasOption } from "./methods";
import { Solver, type SolvedMotion } from "./solver";

/** A variant beside the chosen one, with its motion once computed. */
export interface OtherVariant {
  variant: number;
  solved: () => SolvedMotion | undefined;
}

/** Solvers of the variants. */
export class Variants {
  /** One for each variant; the one of the chosen variant is idle. */
  readonly #solvers: readonly Solver[];

  constructor(library: Library, onChange: () => void) {
    this.#solvers = Array.from({ length: VARIANTS }, () => new Solver(library, onChange));
  }

  /** Call after every edit. During a drag the others wait. */
  update(document: Document, dragging: boolean): void {
    if (dragging) return;
    for (const { variant } of this.others(document))
      this.#solvers[variant]?.update(takeVariant(document, variant), document.method);
  }

  /** The variants that are not chosen; none for methods without seeds. */
  others({ method, way: chosen, keys }: Document): OtherVariant[] {
    if (!hasOption(method, "seed") || keys.length < 2) return [];
    const all = Array.from({ length: VARIANTS }, (_, variant) => ({
      variant,
      solved: () => this.#solvers[variant]?.solved,
    }));
    return all.filter(({ variant }) => variant !== chosen);
  }
}

/** Choice of the variant, and new variants. */
export function variantFields(mode: Inbetween): TemplateResult {
  const { way: chosen } = mode.document;
  return html`<div class="network"><div class="row" role="group" aria-label="Motions">
    ${Array.from(
      { length: VARIANTS },
      (_, variant) =>
        html`<button class="button small" type="button" aria-pressed=${variant === chosen} @click=${() =>
          mode.edit("take another motion", (document) =>
            takeVariant(document, variant),
          )}>Motion ${variant + 1}</button>`,
    )}
    <button class="button small" type="button" @click=${() => mode.edit("other motions", otherVariants)}>Others</button>
  </div></div>`;
}
