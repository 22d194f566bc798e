/** Schema of the mode's settings, to validate stored work and project files. Loaded only if there are any. */
import * as v from "valibot";
import { finite, name, integer } from "../../core/stored-work-schema";
import { CHARACTERS } from "./characters";
import { GROUNDS, LEVEL } from "./grounds";
import { defaultSettings, type ControlSettings } from "./storage";

const ids = CHARACTERS.map(({ id }) => id);

/** Returns the entries of characters that this site has. */
function withKnownCharacters(bodies: Record<string, string>): ControlSettings["bodies"] {
  return Object.fromEntries(Object.entries(bodies).filter(([id]) => ids.some((known) => known === id)));
}

/** Schema of the settings. */
export const controlSettings: v.GenericSchema<unknown, ControlSettings> = v.pipe(
  v.object({
    // A character that this site lacks is replaced by the first one.
    lead: v.fallback(v.picklist(ids), defaultSettings().lead),
    both: v.optional(v.boolean(), false),
    speed: v.optional(v.pipe(finite, v.gtValue(0), v.maxValue(100))),
    style: v.optional(name),
    action: v.optional(name),
    strafes: v.optional(v.boolean(), false),
    // Bodies of characters that this site lacks are left out.
    bodies: v.optional(v.pipe(v.record(v.string(), name), v.transform(withKnownCharacters)), {}),
    noise: v.optional(v.pipe(finite, v.minValue(0), v.maxValue(1)), 0),
    seed: v.optional(integer(0, Number.MAX_SAFE_INTEGER), 0),
    // A ground that this site lacks is replaced by level ground.
    ground: v.fallback(v.picklist(GROUNDS.map(({ id }) => id)), LEVEL),
  }),
  v.transform((stored) => ({ ...defaultSettings(), ...stored })),
);
