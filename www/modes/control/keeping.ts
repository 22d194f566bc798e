/** What is kept of the mode: who is steered, on which bodies, and how. */
import type { CharacterName } from "kinestitch/worker";
import type { Keeping } from "../../core/kept";
import { MODEL, OWN } from "./bodies";
import { CHARACTERS } from "./characters";

/** How one steers. */
export interface Manner {
  lead: CharacterName;
  both: boolean;
  speed: number | undefined;
  style: string | undefined;
  action: string | undefined;
  strafes: boolean;
  bodies: Partial<Record<CharacterName, string>>;
  noise: number;
  seed: number;
}

/** What a document that was kept may hold; it may come from elsewhere. */
type Kept = { [Key in keyof Manner]?: unknown };

export const usual = (): Manner => ({
  lead: CHARACTERS[0]?.id ?? "biped",
  both: false,
  speed: undefined,
  style: undefined,
  action: undefined,
  strafes: false,
  bodies: {},
  noise: 0,
  seed: 0,
});

function read({ lead, both, speed, style, action, strafes, bodies, noise, seed }: Kept): Manner {
  const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    lead: CHARACTERS.find(({ id }) => id === lead)?.id ?? usual().lead,
    both: both === true,
    speed: typeof speed === "number" && speed > 0 ? speed : undefined,
    style: word(style),
    action: word(action),
    strafes: strafes === true,
    bodies: Object.fromEntries(CHARACTERS.flatMap(({ id }) => {
      const body = word((bodies as Manner["bodies"] | undefined)?.[id]);
      return body === undefined ? [] : [[id, body]];
    })),
    noise: typeof noise === "number" && noise > 0 ? Math.min(noise, 1) : 0,
    seed: typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0 ? seed : 0,
  };
}

const parts = ({ lead, both, speed, style, action, strafes, bodies, noise, seed }: Manner): Manner =>
  ({ lead, both, speed, style, action, strafes, bodies, noise, seed });

/** `changed` puts on the stage what another manner needs. */
export function keeping(mode: Manner, changed: () => void): Keeping {
  const put = (manner: Manner): void => {
    Object.assign(mode, manner);
    changed();
  };
  return {
    // Absent values are left out of the text.
    document: () => (JSON.stringify(parts(mode)) === JSON.stringify(usual()) ? undefined : parts(mode)),
    sources: () => Object.values(mode.bodies).filter((body) => body !== OWN && body !== MODEL),
    restore: (document) => put(read(document)),
    clear: () => put(usual()),
  };
}
