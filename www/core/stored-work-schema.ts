/** Validates stored work and project files before they are used. This module is loaded with the first of them. */
import * as v from "valibot";
import type { App } from "./app";
import type { StoredWork } from "./stored-work";
import { MAX_MOTIONS } from "./limits";
import { ROLES } from "./roles";

const text = v.pipe(v.string(), v.maxLength(1000));
/** Schema of a finite number. */
export const finite = v.pipe(v.number(), v.finite());
/** Creates a schema of a whole number from `min` to `max`. */
export const integer = (min: number, max: number): v.GenericSchema<unknown, number> =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

/** Creates a schema of a list with a limited number of entries, which have unique ids. */
export const uniqueList = <T extends { id: string }>(
  entry: v.GenericSchema<unknown, T>,
): v.GenericSchema<unknown, T[]> =>
  v.pipe(
    v.array(v.unknown()),
    v.maxLength(MAX_MOTIONS, ({ requirement }) => `more than ${requirement} entries`),
    v.array(entry),
    v.check((entries) => new Set(entries.map(({ id }) => id)).size === entries.length, "an id is used twice"),
  );

/** Schema of a name. */
export const name = text;

/**
 * Creates the schema of an object whose properties were renamed since earlier releases, so that stored work of these
 * releases remains valid. `names`: new name by old name.
 */
export const withRenamed = <T>(
  names: Readonly<Record<string, string>>,
  schema: v.GenericSchema<unknown, T>,
): v.GenericSchema<unknown, T> =>
  v.pipe(
    v.looseObject({}),
    v.transform((object): unknown =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value])),
    ),
    schema,
  );

/** Schema of corrections to a bone mapping. */
export const rigEdits = v.record(v.picklist(ROLES), v.nullable(text));

const webUrl = v.pipe(
  text,
  v.check(
    (href) => URL.canParse(href, location.href) && /^https?:$/.test(new URL(href, location.href).protocol),
    "not a web address",
  ),
);

/** Schema of corrections to how a BVH file is read. */
const reading = v.object({
  unit: v.optional(v.picklist(["m", "dm", "cm", "mm", "inch", "ft"])),
  up: v.optional(v.picklist(["Y", "Z"])),
  rootOffset: v.optional(v.picklist(["replace", "add"])),
  root: v.optional(text),
});

const source = v.object({
  id: text,
  name: text,
  file: v.optional(text),
  href: v.optional(webUrl),
  animation: v.optional(text),
  reading: v.optional(reading),
});

const record = v.object({
  version: v.literal(1),
  mode: text,
  documents: v.record(text, v.looseObject({})),
  sources: uniqueList(source),
  character: v.optional(v.object({ file: text, edits: rigEdits })),
});

/** Error for stored work that breaks its schema. Other errors, such as a failed fetch of a schema, may be temporary. */
export class InvalidWork extends Error {}

/** Describes an issue: the message, and the path of the faulty value, such as "documents.stitch.clips.0.id". */
function describeIssue([issue]: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]], parentPath: string): string {
  const path = [parentPath, v.getDotPath(issue)].filter(Boolean).join(".");
  return `${issue.message}${path ? `, at ${path}` : ""}`;
}

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown, parentPath: string): T {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (!result.success) throw new InvalidWork(describeIssue(result.issues, parentPath));
  return result.output;
}

/**
 * Validates a work. Rejects with {@link InvalidWork}: the fault and its path. Documents of modes that this site lacks are
 * left out.
 */
export async function validateWork(app: App, value: unknown): Promise<StoredWork> {
  const work: StoredWork = parse(record, value, "");
  const documents: StoredWork["documents"] = {};
  for (const [id, document] of Object.entries(work.documents)) {
    const storage = (await app.loadMode(id))?.storage;
    if (storage) documents[id] = parse(await storage.schema(), document, `documents.${id}`);
  }
  return { ...work, documents };
}

const head = v.object({
  kept: v.unknown(),
  files: v.pipe(
    v.array(v.object({ name: text, file: text, type: text, size: integer(0, 2 ** 31) })),
    v.maxLength(2 * MAX_MOTIONS),
  ),
});

/**
 * Validates the head of a project file: the work's record and the list of files. Rejects with {@link InvalidWork}: the
 * fault and its path.
 */
export async function validateHead(
  app: App,
  value: unknown,
): Promise<{ kept: StoredWork; files: v.InferOutput<typeof head>["files"] }> {
  const { kept, files } = parse(head, value, "");
  return { kept: await validateWork(app, kept), files };
}
