/**
 * The manifold network: its motions for several seeds over each other, and one motion with sliders for components of
 * its latent variable.
 */
import recipe from "../../../research/recipes/manifold-research.json";
import { meanDistance, jointDistances, fillGap, recordedSection, type RecordedMotion, type MotionSection } from "./gap";
import { Lane, viewOf } from "./lane";

/** Number of shown seeds. */
const SEEDS = 8;
/** Joints by which components are ranked. The hips are left out, because their rotation moves all other joints. */
const LEGS = ["LeftLeg", "LeftFoot", "LeftToe", "RightLeg", "RightFoot", "RightToe"] as const;
const COMPONENTS = recipe.sizes.latent;
/** Number of sliders, their range, and the offset by which components are ranked, in standard deviations. */
const [SLIDERS, MAX_OFFSET, TEST_OFFSET] = [3, 4, 2];

/** The network's motion with a latent variable of zero. */
interface MeanMotion {
  recorded: RecordedMotion;
  gap: number;
  section: MotionSection;
}

/** Both images of the manifold network, and the sliders. */
export class Manifold {
  readonly seedLane = new Lane("Eight motions", "variants");
  readonly sliderLane = new Lane("Adjusted by sliders", "pushed");
  readonly #controls: HTMLElement;
  readonly #showError: (error: unknown) => void;
  /** Sliders by component. */
  #sliders = new Map<number, HTMLInputElement>();
  /** The motion for which the components of the sliders were chosen. */
  #sliderMotion: RecordedMotion | undefined;
  #mean: MeanMotion | undefined;
  /** Number of the last request: results of earlier requests are outdated. */
  #latest = 0;

  /** Creates the images. The sliders are added to `controls`. */
  constructor(controls: HTMLElement, showError: (error: unknown) => void) {
    this.#controls = controls;
    this.#showError = showError;
  }

  /** Shows the motions in a gap. Stops if `isCurrent` returns false, because another request has followed. */
  async show(recorded: RecordedMotion, gap: number, isCurrent: () => boolean): Promise<void> {
    const sections: MotionSection[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      sections.push(await fillGap(recorded, gap, { name: "manifold", seed }));
      if (!isCurrent()) return;
    }
    const mean = { recorded, gap, section: await fillGap(recorded, gap, "manifold") };
    if (!isCurrent()) return;
    const distances = sections.flatMap((section, index) =>
      sections.slice(0, index).map((other) => meanDistance(section, other)),
    );
    const meanOfDistances = distances.reduce((sum, value) => sum + value, 0) / distances.length;
    this.seedLane.set(
      viewOf(recorded.info, recordedSection(recorded, gap)),
      sections,
      `${meanOfDistances.toFixed(1)} cm from each other on average`,
    );
    if (this.#sliderMotion !== recorded) {
      const ranking = await rankComponents(mean, isCurrent);
      if (!ranking) return;
      this.#createSliders(ranking.slice(0, SLIDERS));
      this.#sliderMotion = recorded;
    }
    this.#mean = mean;
    await this.#showSliderMotion();
  }

  /** Creates a slider for each component. */
  #createSliders(components: readonly Component[]): void {
    this.#sliders.clear();
    this.#controls.replaceChildren();
    for (const { index, joint } of components) {
      const [min, max] = [-MAX_OFFSET, MAX_OFFSET].map(String);
      const slider = Object.assign(document.createElement("input"), {
        type: "range",
        min,
        max,
        step: "0.1",
        value: "0",
      });
      slider.addEventListener("input", () => void this.#showSliderMotion().catch(this.#showError));
      const label = Object.assign(document.createElement("label"), { className: "grow" });
      label.append(
        Object.assign(document.createElement("span"), { textContent: `Component ${index + 1}: ${joint}` }),
        slider,
      );
      this.#controls.append(label);
      this.#sliders.set(index, slider);
    }
  }

  /** Shows the motion for the positions of the sliders. */
  async #showSliderMotion(): Promise<void> {
    if (!this.#mean) return;
    const request = ++this.#latest;
    const { recorded, gap, section } = this.#mean;
    const latent = Array.from({ length: COMPONENTS }, (_, index) => this.#sliders.get(index)?.valueAsNumber ?? 0);
    const adjusted = await fillGap(recorded, gap, { name: "manifold", latent });
    if (request !== this.#latest) return;
    this.sliderLane.set(
      viewOf(recorded.info, recordedSection(recorded, gap)),
      [section, adjusted],
      `${meanDistance(adjusted, section).toFixed(1)} cm on average from the motion without offsets, in grey`,
      1,
    );
  }
}

/**
 * A component of the latent variable. `distance`: its effect on the legs, which is the sum of the mean distances of
 * the leg joints, cm; `joint`: the joint that moves most.
 */
interface Component {
  index: number;
  distance: number;
  joint: string;
}

/**
 * Measures the effects of all components, and sorts them: the largest effect first. Stops and resolves to `undefined` if
 * `isCurrent` returns false.
 */
async function rankComponents(
  { recorded, gap, section }: MeanMotion,
  isCurrent: () => boolean,
): Promise<Component[] | undefined> {
  const ranking: Component[] = [];
  const legs = new Set(LEGS.map((role) => recorded.info.rig[role]));
  for (let index = 0; index < COMPONENTS; index++) {
    const latent = Array.from({ length: COMPONENTS }, (_, other) => (other === index ? TEST_OFFSET : 0));
    const byJoint = jointDistances(section, await fillGap(recorded, gap, { name: "manifold", latent }));
    if (!isCurrent()) return undefined;
    const legJoints = recorded.info.joints
      .map(({ name }, joint) => ({ name, distance: byJoint[joint] ?? 0 }))
      .filter(({ name }) => legs.has(name));
    const { name = "" } = legJoints.reduce<{ name?: string; distance: number }>(
      (largest, joint) => (joint.distance > largest.distance ? joint : largest),
      { distance: 0 },
    );
    ranking.push({ index, joint: name, distance: legJoints.reduce((sum, { distance }) => sum + distance, 0) });
  }
  return ranking.sort((a, b) => b.distance - a.distance);
}
