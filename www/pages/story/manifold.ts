/**
 * The manifold network: its motions for several seeds over each other, and one with sliders for its latent variable.
 */
import recipe from "../../../recipes/manifold-research.json";
import { distance, distances, fill, truth, type Recorded, type Stretch } from "./gap";
import { Lane, viewOf } from "./lane";

/** Number of shown seeds. */
const WAYS = 8;
/** Joints that rate a component; the hips are left out because their rotation moves all others. */
const LEGS = ["LeftLeg", "LeftFoot", "LeftToe", "RightLeg", "RightFoot", "RightToe"] as const;
const COMPONENTS = recipe.sizes.latent;
/** Number and range of sliders, and the offset by which components are compared, in deviations. */
const [SLIDERS, FARTHEST, TRIED] = [3, 4, 2];

/** The network's motion without offsets. */
interface MeanMotion {
  recorded: Recorded;
  gap: number;
  made: Stretch;
}

export class Manifold {
  readonly ways = new Lane("Eight ways", "ways");
  readonly pushed = new Lane("Moved by hand", "pushed");
  readonly #controls: HTMLElement;
  readonly #failed: (error: unknown) => void;
  /** Sliders by component. */
  #sliders = new Map<number, HTMLInputElement>();
  /** The motion for which they were chosen. */
  #chosenFor: Recorded | undefined;
  #mean: MeanMotion | undefined;
  /** Number of the last request; older ones are outdated. */
  #latest = 0;

  /** Sliders are added to `controls`. */
  constructor(controls: HTMLElement, failed: (error: unknown) => void) {
    this.#controls = controls;
    this.#failed = failed;
  }

  /** Shows the motions in a gap, while that is still `wanted`. */
  async show(recorded: Recorded, gap: number, wanted: () => boolean): Promise<void> {
    const all: Stretch[] = [];
    for (let seed = 1; seed <= WAYS; seed++) all.push(await fill(recorded, gap, { name: "manifold", seed }));
    const mean = { recorded, gap, made: await fill(recorded, gap, "manifold") };
    if (!wanted()) return;
    const pairs = all.flatMap((one, index) => all.slice(0, index).map((other) => distance(one, other)));
    const apart = pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
    this.ways.set(
      viewOf(recorded.info, truth(recorded, gap)),
      all,
      `${apart.toFixed(1)} cm from each other on average`,
    );
    if (this.#chosenFor !== recorded) {
      const found = await components(mean);
      if (!wanted()) return;
      this.#offer(found.slice(0, SLIDERS));
      this.#chosenFor = recorded;
    }
    this.#mean = mean;
    await this.#push();
  }

  /** Creates a slider for each component. */
  #offer(found: readonly Component[]): void {
    this.#sliders.clear();
    this.#controls.replaceChildren();
    for (const { index, joint } of found) {
      const [min, max] = [-FARTHEST, FARTHEST].map(String);
      const slider = Object.assign(document.createElement("input"), {
        type: "range",
        min,
        max,
        step: "0.1",
        value: "0",
      });
      slider.addEventListener("input", () => void this.#push().catch(this.#failed));
      const label = Object.assign(document.createElement("label"), { className: "grow" });
      label.append(
        Object.assign(document.createElement("span"), { textContent: `Number ${index + 1}: ${joint}` }),
        slider,
      );
      this.#controls.append(label);
      this.#sliders.set(index, slider);
    }
  }

  /** The motion at the slider positions. */
  async #push(): Promise<void> {
    if (!this.#mean) return;
    const request = ++this.#latest;
    const { recorded, gap, made } = this.#mean;
    const latent = Array.from({ length: COMPONENTS }, (_, index) => this.#sliders.get(index)?.valueAsNumber ?? 0);
    const pushed = await fill(recorded, gap, { name: "manifold", latent });
    if (request !== this.#latest) return;
    this.pushed.set(
      viewOf(recorded.info, truth(recorded, gap)),
      [made, pushed],
      `${distance(pushed, made).toFixed(1)} cm on average from where it goes by itself, in grey`,
      1,
    );
  }
}

/** A component of the latent variable, its effect on the legs across a gap, and the joint it affects most. */
interface Component {
  index: number;
  apart: number;
  joint: string;
}

/** All components, those with the largest effect first. */
async function components({ recorded, gap, made }: MeanMotion): Promise<Component[]> {
  const found: Component[] = [];
  const legs = new Set(LEGS.map((role) => recorded.info.rig[role]));
  for (let index = 0; index < COMPONENTS; index++) {
    const latent = Array.from({ length: COMPONENTS }, (_, other) => (other === index ? TRIED : 0));
    const each = distances(made, await fill(recorded, gap, { name: "manifold", latent }));
    const moved = recorded.info.joints
      .map(({ name }, joint) => ({ name, apart: each[joint] ?? 0 }))
      .filter(({ name }) => legs.has(name));
    const { name = "" } = moved.reduce<{ name?: string; apart: number }>(
      (most, one) => (one.apart > most.apart ? one : most),
      { apart: 0 },
    );
    found.push({ index, joint: name, apart: moved.reduce((sum, { apart }) => sum + apart, 0) });
  }
  return found.sort((a, b) => b.apart - a.apart);
}
