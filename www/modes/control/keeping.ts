/** Stored settings of the mode: character, bodies, and style. */
import type { CharacterName } from "kinestitch/worker";
import type { DocumentStorage } from "../../core/stored-work";
import { MODEL, OWN } from "./bodies";
import { CHARACTERS } from "./characters";
import { LEVEL } from "./grounds";

/** Settings of the mode. */
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
  /** Id of the ground, see grounds.ts. */
  ground: string;
}

/** Default settings of the mode. */
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
  ground: LEVEL,
});

const parts = ({ lead, both, speed, style, action, strafes, bodies, noise, seed, ground }: Manner): Manner => ({
  lead,
  both,
  speed,
  style,
  action,
  strafes,
  bodies,
  noise,
  seed,
  ground,
});

/** `onChange` updates the stage for changed settings. */
export function keeping(mode: Manner, onChange: () => void): DocumentStorage<Manner> {
  const put = (manner: Manner): void => {
    Object.assign(mode, manner);
    onChange();
  };
  return {
    // Absent values are not part of the text.
    document: () => (JSON.stringify(parts(mode)) === JSON.stringify(usual()) ? undefined : parts(mode)),
    sources: ({ bodies }) => Object.values(bodies).filter((body) => body !== OWN && body !== MODEL),
    schema: async () => (await import("./schema")).manner,
    restore: put,
    clear: () => put(usual()),
    capture: () => {
      const before = parts(mode);
      return () => put(before);
    },
  };
}
