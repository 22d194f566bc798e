/** Parses models/manifest.json and checks every field, because the folder of models may not be trustworthy. */
import { KinestitchError, messageOf } from "../core/error.js";
import { type NetworkFile, type NetworkModel, type NetworkScore, networkTasks } from "../core/network-types.js";
import { quote } from "../core/quote.js";
import { HELP } from "./manifest.js";

/** Supported version of the manifest. */
export const MANIFEST_VERSION = 2;

/**
 * Maximum number of characters of a manifest, and of a text in it; maximum number of entries of a list. The manifest of
 * this package has about 65,000 characters and 13 networks.
 */
const [MAX_CHARACTERS, MAX_TEXT_LENGTH, MAX_ENTRIES] = [2 ** 22, 4096, 1024];
/** Maximum depth of `scores`: test, method, measure, name of a value of the measure. */
const MAX_DEPTH = 4;

type Fields = Record<string, unknown>;

/**
 * Parses and checks a manifest; returns its networks.
 *
 * @param text Contents of the file.
 * @param manifestName URL of the file, for messages.
 * @throws {KinestitchError} `weights` if a field is invalid; the message names the field.
 */
export function parseManifest(text: string, manifestName: string): NetworkModel[] {
  try {
    if (text.length > MAX_CHARACTERS)
      throw new TypeError(`it has ${text.length} characters; the limit is ${MAX_CHARACTERS}`);
    const { version, networks } = checkObject(JSON.parse(text), "the file");
    if (version !== MANIFEST_VERSION)
      throw new TypeError(`its "version" is ${formatValue(version)}, not ${MANIFEST_VERSION}`);
    return checkList(networks, "networks").map((network, index) => checkNetwork(network, `networks[${index}]`));
  } catch (error) {
    const message = `${manifestName} is not a manifest of Kinestitch networks (${messageOf(error)}); ${HELP}`;
    throw new KinestitchError("weights", message, { cause: error });
  }
}

function checkNetwork(value: unknown, what: string): NetworkModel {
  const network = checkObject(value, what);
  const { text, wholeNumber } = reader(network, what);
  const files = checkList(network.files, `${what}.files`).map((file, index) =>
    checkFile(file, `${what}.files[${index}]`),
  );
  if (!files.some(({ role }) => role === "weights"))
    throw new TypeError(`none of ${what}.files has the role "weights"`);
  const task = networkTasks.find((task) => task === network.for);
  if (!task) throw new TypeError(`${what}.for is ${formatValue(network.for)}, not one of ${networkTasks.join(", ")}`);
  return {
    name: text("name"),
    for: task,
    ...(network.character !== undefined && { character: text("character") }),
    set: text("set"),
    licence: text("licence"),
    data: checkList(network.data ?? [], `${what}.data`).map((data, index) => {
      const { text } = reader(checkObject(data, `${what}.data[${index}]`), `${what}.data[${index}]`);
      return { name: text("name"), licence: text("licence") };
    }),
    files,
    layout: wholeNumber("layout"),
    scores: checkScores(network.scores ?? {}, `${what}.scores`),
  };
}

function checkFile(value: unknown, what: string): NetworkFile {
  const { text, wholeNumber } = reader(checkObject(value, what), what);
  // A file name without slashes, so that a manifest cannot refer to files outside its folder.
  const name = text("name", /^\w[\w.-]*$/);
  return { role: text("role"), name, bytes: wholeNumber("bytes"), sha256: text("sha256", /^[\da-f]{64}$/) };
}

/**
 * Checks scores, which are only displayed: finite numbers, texts, lists of numbers, and nested objects with such
 * values.
 */
function checkScores(value: unknown, what: string): NetworkModel["scores"] {
  let entries = 0;
  const check = (item: unknown, path: string, depth: number): void => {
    if (depth > 0 && isScore(item)) return;
    if (depth === MAX_DEPTH) throw new TypeError(`${path} is ${formatValue(item)}, which is not a score`);
    for (const [key, child] of Object.entries(checkObject(item, path))) {
      if (key.length > MAX_TEXT_LENGTH || ++entries > MAX_ENTRIES * MAX_DEPTH)
        throw new TypeError(`${what} has too many entries, or a name that is too long`);
      check(child, `${path}[${quote(key)}]`, depth + 1);
    }
  };
  check(value, what, 0);
  return value as NetworkModel["scores"];
}

function isScore(value: unknown): value is Exclude<NetworkScore, Readonly<Record<string, number>>> {
  if (Array.isArray(value)) return value.length <= MAX_ENTRIES && value.every(Number.isFinite);
  return Number.isFinite(value) || (typeof value === "string" && value.length <= MAX_TEXT_LENGTH);
}

function checkObject(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError(`${what} is ${formatValue(value)}, not an object`);
  return value as Fields;
}

function checkList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value) || value.length > MAX_ENTRIES)
    throw new TypeError(`${what} is ${formatValue(value)}, not a list of at most ${MAX_ENTRIES}`);
  return value;
}

/** Creates functions that read the required properties of an object. `what`: name of the object, for messages. */
function reader(object: Fields, what: string) {
  const invalid = (key: string): TypeError => new TypeError(`${what}.${key} is ${formatValue(object[key])}`);
  return {
    text(key: string, shape = /./): string {
      const value = object[key];
      if (typeof value !== "string" || value.length > MAX_TEXT_LENGTH || !shape.test(value)) throw invalid(key);
      return value;
    },
    wholeNumber(key: string): number {
      const value = object[key];
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw invalid(key);
      return value as number;
    },
  };
}

/** Formats a value of JSON as short text for messages. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value) return "an object";
  if (typeof value === "string") return quote(value);
  return value === undefined ? "missing" : String(value);
}
