/** Text of models/manifest.json → its networks, every field checked: a folder of models may be a stranger's. */
import { KinestitchError, messageOf } from "../core/error.js";
import { type NetworkFile, type NetworkModel, type NetworkScore, networkTasks } from "../core/network-types.js";
import { quote } from "../core/quote.js";
import { HELP } from "./manifest.js";

/** Supported version of the manifest. */
export const MANIFEST_VERSION = 2;

/**
 * Letters of a manifest, and of one of its texts; networks, and entries of a list. The one of this package has 60 KB
 * and 13 networks.
 */
const [MOST_LETTERS, MOST_WORD, MOST_ENTRIES] = [2 ** 22, 4096, 1024];
/** Levels of `scores`: test, method, measure, part of a measure. */
const MOST_LEVELS = 4;

type Fields = Record<string, unknown>;

/**
 * @param text Contents of the file.
 * @param where Its address, for messages.
 * @throws {KinestitchError} `weights` if a field is not what it must be, and says which.
 */
export function parseManifest(text: string, where: string): NetworkModel[] {
  try {
    if (text.length > MOST_LETTERS)
      throw new TypeError(`it has ${text.length} characters; the limit is ${MOST_LETTERS}`);
    const { version, networks } = fields(JSON.parse(text), "the file");
    if (version !== MANIFEST_VERSION)
      throw new TypeError(`its "version" is ${shown(version)}, not ${MANIFEST_VERSION}`);
    return list(networks, "networks").map((network, at) => listed(network, `networks[${at}]`));
  } catch (error) {
    const message = `${where} is no manifest of Kinestitch networks (${messageOf(error)}); ${HELP}`;
    throw new KinestitchError("weights", message, { cause: error });
  }
}

function listed(value: unknown, what: string): NetworkModel {
  const network = fields(value, what);
  const { word, count } = reader(network, what);
  const files = list(network.files, `${what}.files`).map((file, at) => fileFrom(file, `${what}.files[${at}]`));
  if (!files.some(({ role }) => role === "weights"))
    throw new TypeError(`none of ${what}.files has the role "weights"`);
  const task = networkTasks.find((task) => task === network.for);
  if (!task) throw new TypeError(`${what}.for is ${shown(network.for)}, not one of ${networkTasks.join(", ")}`);
  return {
    name: word("name"),
    for: task,
    ...(network.character !== undefined && { character: word("character") }),
    set: word("set"),
    licence: word("licence"),
    data: list(network.data ?? [], `${what}.data`).map((data, at) => {
      const { word } = reader(fields(data, `${what}.data[${at}]`), `${what}.data[${at}]`);
      return { name: word("name"), licence: word("licence") };
    }),
    files,
    layout: count("layout"),
    scores: scoresFrom(network.scores ?? {}, `${what}.scores`),
  };
}

function fileFrom(value: unknown, what: string): NetworkFile {
  const { word, count } = reader(fields(value, what), what);
  // A plain name: a manifest must not lead out of its folder.
  const name = word("name", /^\w[\w.-]*$/);
  return { role: word("role"), name, bytes: count("bytes"), sha256: word("sha256", /^[\da-f]{64}$/) };
}

/**
 * Scores are shown, never computed with: numbers that are finite, texts, lists of numbers, and objects of these, not
 * too many.
 */
function scoresFrom(value: unknown, what: string): NetworkModel["scores"] {
  let entries = 0;
  const check = (part: unknown, place: string, level: number): void => {
    if (level > 0 && isScore(part)) return;
    if (level === MOST_LEVELS) throw new TypeError(`${place} is ${shown(part)}, which is no score`);
    for (const [key, below] of Object.entries(fields(part, place))) {
      if (key.length > MOST_WORD || ++entries > MOST_ENTRIES * MOST_LEVELS)
        throw new TypeError(`${what} has too many entries, or a name that is too long`);
      check(below, `${place}[${quote(key)}]`, level + 1);
    }
  };
  check(value, what, 0);
  return value as NetworkModel["scores"];
}

function isScore(value: unknown): value is Exclude<NetworkScore, Readonly<Record<string, number>>> {
  if (Array.isArray(value)) return value.length <= MOST_ENTRIES && value.every(Number.isFinite);
  return Number.isFinite(value) || (typeof value === "string" && value.length <= MOST_WORD);
}

function fields(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError(`${what} is ${shown(value)}, not an object`);
  return value as Fields;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value) || value.length > MOST_ENTRIES)
    throw new TypeError(`${what} is ${shown(value)}, not a list of at most ${MOST_ENTRIES}`);
  return value;
}

/** Reads properties that must be there. */
function reader(object: Fields, what: string) {
  const wrong = (key: string): TypeError => new TypeError(`${what}.${key} is ${shown(object[key])}`);
  return {
    word(key: string, shape = /./): string {
      const value = object[key];
      if (typeof value !== "string" || value.length > MOST_WORD || !shape.test(value)) throw wrong(key);
      return value;
    },
    count(key: string): number {
      const value = object[key];
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(key);
      return value as number;
    },
  };
}

/** Formats any value as short text for messages. */
const shown = (value: unknown): string =>
  Array.isArray(value)
    ? `a list of ${value.length}`
    : typeof value === "object" && value
      ? "an object"
      : quote(String(value));
