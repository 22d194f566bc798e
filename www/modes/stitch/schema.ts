/** Schema of the document, to validate stored work and project files. Loaded only if there are any. */
import * as v from "valibot";
import { finite, uniqueList, rigEdits, integer, name, withRenamed } from "../../core/stored-work-schema";
import { inbetweenMethods } from "kinestitch/ui";
import { METHODS } from "./methods";
import { EMPTY, MAX_CUT_SECS, type Item, type Project } from "./project";

const trim = v.pipe(
  v.object({ from: integer(0, 1e9), to: integer(1, 1e9) }),
  v.check(({ from, to }) => from < to, "a trim without frames"),
);

const item: v.GenericSchema<unknown, Item> = v.object({
  id: name,
  source: name,
  color: integer(0, 1000),
  trim: v.optional(trim),
});

/** Creates a schema of a method. A method that this site lacks is replaced by `fallback`. */
const method = (fallback: Project["method"]): v.GenericSchema<unknown, Project["method"]> =>
  v.fallback(v.picklist(METHODS.map(({ id }) => id)), fallback);

const joinMethods = METHODS.map(({ id }) => id).filter((id) => id !== "auto");

/** Number of frames inserted between two clips. */
const gap = v.optional(integer(1, 480));
const gapMethod = v.optional(v.fallback(v.picklist(inbetweenMethods), "inertialize"));

/** Join options of one seam. A method that this site lacks is replaced by inertialization. */
const joinOptions = v.object({
  method: v.optional(v.fallback(v.picklist(joinMethods), "inertialize")),
  blend: v.optional(v.pipe(finite, v.minValue(0.01), v.maxValue(60))),
  seam: v.optional(v.picklist(["keep", "best", "phase"])),
  gap,
  gapMethod,
});

const currentProject: v.GenericSchema<unknown, Project> = v.object({
  items: uniqueList(item),
  method: method(EMPTY.method),
  compare: method(EMPTY.compare),
  blend: v.optional(v.pipe(finite, v.minValue(0.01), v.maxValue(1e5)), EMPTY.blend),
  seam: v.optional(v.picklist(["keep", "best", "phase"]), EMPTY.seam),
  maxCut: v.optional(v.pipe(finite, v.minValue(0), v.maxValue(MAX_CUT_SECS)), EMPTY.maxCut),
  footLock: v.optional(v.boolean(), EMPTY.footLock),
  gap,
  gapMethod,
  joins: v.optional(v.record(name, joinOptions), EMPTY.joins),
  fps: v.optional(v.pipe(finite, v.minValue(1), v.maxValue(1000))),
  rigs: v.optional(v.record(name, rigEdits), EMPTY.rigs),
});

/** Schema of the document. */
export const project = withRenamed({ ways: "joins" }, currentProject);
