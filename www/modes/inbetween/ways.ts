/** Variants of a method with seeds: three are computed, one is chosen. */
import { html, type TemplateResult } from "lit-html";
import type { Library } from "../../core/library";
import { otherWays, takeWay, WAYS, type Document } from "./document";
import type { Inbetween } from "./inbetween";
import { hasOption } from "./methods";
import { Solver, type SolvedMotion } from "./solver";

/** A variant beside the chosen one, with its motion once computed. */
export interface OtherWay {
  way: number;
  solved: () => SolvedMotion | undefined;
}

/** Solvers of the variants. */
export class Ways {
  /** One for each variant; the one of the chosen variant is idle. */
  readonly #solvers: readonly Solver[];

  constructor(library: Library, changed: () => void) {
    this.#solvers = Array.from({ length: WAYS }, () => new Solver(library, changed));
  }

  /** Call after every edit. During a drag the others wait. */
  update(document: Document, dragging: boolean): void {
    if (dragging) return;
    for (const { way } of this.others(document)) this.#solvers[way]?.update(takeWay(document, way), document.method);
  }

  /** The variants that are not chosen; none for methods without seeds. */
  others({ method, way: taken, keys }: Document): OtherWay[] {
    if (!hasOption(method, "seed") || keys.length < 2) return [];
    const all = Array.from({ length: WAYS }, (_, way) => ({ way, solved: () => this.#solvers[way]?.solved }));
    return all.filter(({ way }) => way !== taken);
  }
}

/** Choice of the variant, and new variants. */
export function waysFields(mode: Inbetween): TemplateResult {
  const { way: taken } = mode.document;
  return html`<div class="network"><div class="row" role="group" aria-label="Ways">
    ${Array.from(
      { length: WAYS },
      (_, way) =>
        html`<button class="button small" type="button" aria-pressed=${way === taken} @click=${() =>
          mode.edit("take another way", (document) => takeWay(document, way))}>Way ${way + 1}</button>`,
    )}
    <button class="button small" type="button" @click=${() => mode.edit("other ways", otherWays)}>Others</button>
  </div></div>`;
}
