/** Stored settings of the mode, such as character, style and ground. */
import type { CharacterName } from "kinestitch/worker";
import type { DocumentStorage } from "../../core/stored-work";
import { MODEL_BODY, OWN_BODY } from "./bodies";
import { CHARACTERS } from "./characters";
import { LEVEL } from "./grounds";

/** Settings of the mode. */
export interface ControlSettings {
  /** The controlled character. */
  lead: CharacterName;
  /** Whether both characters are shown. */
  both: boolean;
  /** Requested speed, m/s; absent: the walking speed of the character. */
  speed: number | undefined;
  style: string | undefined;
  action: string | undefined;
  /** Whether the character faces the direction of the camera, in whichever direction it moves. */
  strafes: boolean;
  /** Id of the body of each character, see bodies.ts; absent: the user's model, if it suits the character. */
  bodies: Partial<Record<CharacterName, string>>;
  /** Amplitude, 0 to 1, and seed of variations. */
  noise: number;
  seed: number;
  /** Id of the ground, see grounds.ts. */
  ground: string;
}

/** Returns the default settings of the mode. */
export const defaultSettings = (): ControlSettings => ({
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

/** Names of the settings. */
const NAMES = Object.keys(defaultSettings()) as readonly (keyof ControlSettings)[];

/** Returns the settings of the mode without its other members. */
const settingsOf = (mode: ControlSettings): ControlSettings =>
  Object.fromEntries(NAMES.map((name) => [name, mode[name]])) as unknown as ControlSettings;

/** Creates the storage of the settings. `onChange` is called when settings are restored, to update the stage. */
export function settingsStorage(mode: ControlSettings, onChange: () => void): DocumentStorage<ControlSettings> {
  const apply = (settings: ControlSettings): void => {
    Object.assign(mode, settings);
    onChange();
  };
  return {
    // Compares as JSON, which omits absent values.
    document: () =>
      JSON.stringify(settingsOf(mode)) === JSON.stringify(defaultSettings()) ? undefined : settingsOf(mode),
    sources: ({ bodies }) => Object.values(bodies).filter((body) => body !== OWN_BODY && body !== MODEL_BODY),
    schema: async () => (await import("./schema")).controlSettings,
    restore: apply,
    clear: () => apply(defaultSettings()),
    capture: () => {
      const captured = settingsOf(mode);
      return () => apply(captured);
    },
  };
}
