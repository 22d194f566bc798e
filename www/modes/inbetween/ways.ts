/** The ways of a method that knows several: three of them are made, one is taken. */
import { html, type TemplateResult } from "lit-html";
import type { Library } from "../../core/library";
import { otherWays, takeWay, WAYS, type Document } from "./document";
import type { Inbetween } from "./inbetween";
import { Solver, type Made } from "./solver";

/** A way beside the one that is taken, and its motion as soon as there is one. */
export interface OtherWay {
  way: number;
  made: () => Made | undefined;
}

export class Ways {
  /** One for each way; that of the way which is taken rests. */
  readonly #solvers: readonly Solver[];

  constructor(library: Library, changed: () => void) {
    this.#solvers = Array.from({ length: WAYS }, () => new Solver(library, changed));
  }

  /** Call after every edit. While a key is dragged the others wait. */
  update(document: Document, dragging: boolean): void {
    if (dragging) return;
    for (const { way } of this.others(document)) this.#solvers[way]?.update(takeWay(document, way), document.method);
  }

  /** The ways that are not taken; none of a method with one answer. */
  others({ method, way: taken, keys }: Document): OtherWay[] {
    if (method !== "manifold" || keys.length < 2) return [];
    const all = Array.from({ length: WAYS }, (_, way) => ({ way, made: () => this.#solvers[way]?.made }));
    return all.filter(({ way }) => way !== taken);
  }
}

/** Which way is taken, and three others. */
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
