/** The panel of local motion phases of the limbs. They can be saved as an SVG image. */
import { html, type TemplateResult } from "lit-html";
import { sentence } from "../../../core/engine";
import { lazyCode } from "../../../core/lazy-code";
import type { Panel } from "../../../core/panel";
import { download } from "../../../core/save";
import type { PhasePlot } from "../../../plot/phase-plot";
import { icon } from "../../../ui/icons";
import { phasesOf } from "../phases";
import type { Stitch } from "../stitch";
import { PlotRange } from "./plot-range";

/** Legend: CSS class and label. */
const LEGEND = [
  ["contact", "Contact"],
  ["filtered", "Filtered"],
  ["fit", "Fit"],
  ["bars", "Phase, 0 to 360°"],
] as const;

/** Creates the panel of the phases. */
export function phasesPanel(mode: Stitch): Panel {
  const plotCode = lazyCode(mode.app, () => import("../../../plot/phase-plot"));
  let plot: PhasePlot | undefined;
  const plotRange = new PlotRange(mode, "all");

  /** Draws the phases of the selected range; returns `undefined` until they are computed and the plot's code is there. */
  const draw = (): PhasePlot | undefined => {
    const result = mode.shownResult();
    const limbs = result && phasesOf(result, () => mode.app.requestUpdate()).limbs;
    const code = plotCode();
    if (!result || !limbs?.length || !code) return undefined;
    const { name, frames, fps } = result.motion;
    plot ??= new code.PhasePlot((frame) => mode.track.goTo(frame));
    plot.set({ name, frames, fps, limbs, ...plotRange.range(result) });
    plot.setFrame(mode.clock.frame);
    return plot;
  };

  const save = (): void => {
    const result = mode.shownResult();
    const limbs = result && phasesOf(result, () => mode.app.requestUpdate()).limbs;
    const code = plotCode();
    if (!result || !limbs || !code) return;
    const svg = code.phasesSvg(limbs, result.motion);
    mode.app.notify(`Saved ${download(`${result.motion.name} phases`, "svg", svg, "image/svg+xml")}.`);
  };

  const view = (): TemplateResult => {
    const result = mode.shownResult();
    if (!result)
      return html`<p class="quiet">Phases of the feet appear here: the position of each foot in its step cycle.</p>`;
    const { limbs, problem } = phasesOf(result, () => mode.app.requestUpdate());
    if (problem) return html`<p class="quiet" role="alert">${icon("warn")} ${sentence(problem.message)}</p>`;
    if (!limbs) return html`<p class="quiet">Computing the phases…</p>`;
    if (limbs.length === 0)
      return html`<p class="quiet">This skeleton has no mapped feet; map them in the bone mapping.</p>`;
    return html`<div class="phases">
      <div class="curve-head">${plotRange.view(result)}
        ${LEGEND.map(([id, name]) => html`<span class="key"><i class="swatch phase-${id}"></i>${name}</span>`)}
        <button class="button small" type="button" title="Save an SVG image of the whole motion"
          @click=${save}>${icon("save")}<span>Save SVG</span></button>
        <a class="quiet" href="phases.html">Phases of a whole body</a>
      </div>
      ${draw()?.element}
    </div>`;
  };

  return {
    id: "phases",
    title: "Phases",
    region: "dock",
    view,
    onFrame: () => {
      if (mode.app.settings.dock !== "phases") return;
      if (plotRange.shown === "near" && (mode.shownResult()?.seams.length ?? 0) > 1) draw();
      else plot?.setFrame(mode.clock.frame);
    },
  };
}
