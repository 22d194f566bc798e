/** Schema of the document, to validate stored work and project files. Loaded only if there are any. */
import * as v from "valibot";
import { finite, uniqueList, name, integer, withRenamed } from "../../core/stored-work-schema";
import { MAX_MOTIONS } from "../../core/limits";
import { EMPTY, MAX_CANDIDATE_GAP, MIN_CANDIDATE_GAP, type Document, type Key } from "./document";
import { METHODS } from "./methods";

const metres = v.pipe(finite, v.minValue(-1e6), v.maxValue(1e6));
const groundPose = v.object({ x: metres, z: metres, heading: finite });

const key: v.GenericSchema<unknown, Key> = v.pipe(
  v.object({
    id: name,
    source: name,
    from: integer(0, 1e9),
    to: integer(1, 1e9),
    at: v.optional(groundPose),
    color: integer(0, 1000),
  }),
  v.check(({ from, to }) => from < to, "a key without frames"),
);

const accepted = v.object({
  path: v.pipe(v.array(v.tuple([metres, metres])), v.minLength(2), v.maxLength(10_000)),
  style: v.optional(name),
});

const currentDocument: v.GenericSchema<unknown, Document> = v.pipe(
  v.object({
    keys: uniqueList(key),
    gaps: v.pipe(v.array(integer(MIN_CANDIDATE_GAP, MAX_CANDIDATE_GAP)), v.maxLength(MAX_MOTIONS)),
    // A method that this site lacks is replaced by the default.
    method: v.fallback(v.picklist(METHODS.map(({ id }) => id)), EMPTY.method),
    footLock: v.optional(v.boolean(), EMPTY.footLock),
    firstSeed: v.optional(integer(0, 1e9), EMPTY.firstSeed),
    variant: v.optional(integer(0, 100), EMPTY.variant),
    accepted: v.optional(accepted),
  }),
  v.check(
    ({ keys, gaps }) => gaps.length === Math.max(0, keys.length - 1),
    "the number of gaps does not match the number of keys",
  ),
);

/** Schema of the document. */
export const document = withRenamed({ ways: "firstSeed", way: "variant", trail: "accepted" }, currentDocument);
