/** models/manifest.json: which networks there are, and whether a file is the one it names. */
import { KinestitchError, messageOf } from "../core/error.js";
import { quoted } from "../core/quote.js";
import type { NetworkFile, NetworkModel, NetworkTask } from "../core/types.js";

/** What a manifest of this form says of itself. */
export const MANIFEST_VERSION = 2;

/** What to do about a folder of models that does not hold what it should. */
const HELP = "copy models/ of this package there, or name its folder in init({ networks: { models } })";

/** Where a file of models/ lies: in the user's own `folder`, or among the package's own files. */
export function placeOf(
  file: string,
  folder: URL | string | undefined,
  packaged: Record<string, URL | string> = {},
): URL | string {
  if (folder !== undefined) return `${String(folder).replace(/\/?$/, "/")}${file}`;
  const place = packaged[file];
  if (!place) throw new KinestitchError("weights", `this package holds no ${file}; ${HELP}`);
  return place;
}

/** What the imports of an app bring, as messages name it. */
export const PACKAGED = "kinestitch/networks";
/** What to do about a network that is not among them: not imported, or not open. */
const ELSEWHERE =
  'import "kinestitch/networks/<name>" of it, too; or, where its weights are for research only and not in this package, serve models/ of the repository and name that folder: models: "/models/"';

/** A place as messages name it. */
export function nameOf(place: URL | string): string {
  return String(place).replace(/\?no-inline$/, "");
}

/** Text of a manifest → its networks. `where` is its address, for messages. */
export function parseManifest(text: string, where: string): NetworkModel[] {
  try {
    const { version, networks } = JSON.parse(text) as { version: number; networks: Record<string, unknown>[] };
    if (version !== MANIFEST_VERSION)
      throw new TypeError(`its "version" is ${JSON.stringify(version)}, not ${MANIFEST_VERSION}`);
    return networks.map(listed);
  } catch (error) {
    throw new KinestitchError(
      "weights",
      `${where} is no manifest of Kinestitch networks (${messageOf(error)}); ${HELP}`,
      { cause: error },
    );
  }
}

function listed(network: Record<string, unknown>): NetworkModel {
  const { word, count } = reader(network);
  const files = (network.files as Record<string, unknown>[]).map((file): NetworkFile => {
    const { word, count } = reader(file);
    // A plain name: a manifest must not lead out of its folder.
    return {
      role: word("role"),
      name: word("name", /^\w[\w.-]*$/),
      bytes: count("bytes"),
      sha256: word("sha256", /^[\da-f]{64}$/),
    };
  });
  if (!files.some(({ role }) => role === "weights")) throw new TypeError('none of its "files" has the role "weights"');
  return {
    name: word("name"),
    for: word("for") as NetworkTask,
    ...(network.character !== undefined && { character: word("character") }),
    set: word("set"),
    licence: word("licence"),
    data: (network.data ?? []) as NetworkModel["data"],
    files,
    layout: count("layout"),
    scores: (network.scores ?? {}) as NetworkModel["scores"],
  };
}

/** Reads properties that must be there. */
function reader(object: Record<string, unknown>) {
  const wrong = (key: string): TypeError => new TypeError(`its "${key}" is ${JSON.stringify(object[key])}`);
  return {
    word(key: string, shape = /./): string {
      const value = object[key];
      if (typeof value !== "string" || !shape.test(value)) throw wrong(key);
      return value;
    },
    count(key: string): number {
      const value = object[key];
      if (!Number.isSafeInteger(value)) throw wrong(key);
      return value as number;
    },
  };
}

/** What is wanted of a manifest. */
export interface Wanted {
  task: NetworkTask;
  /** Of that name, where one is given. */
  name?: string | undefined;
  /** Of that body, for "control". */
  character?: string | undefined;
  /** Of that set; default: "open", else the first there is. */
  set?: string | undefined;
}

/** The network that is wanted, of those that are listed. `where` is the manifest's address, for messages. */
export function choose(
  networks: readonly NetworkModel[],
  { task, name, character, set }: Wanted,
  where: string,
): NetworkModel {
  const fitting = networks.filter(
    (network) =>
      network.for === task && network.character === character && (name === undefined || network.name === name),
  );
  const found =
    set === undefined
      ? (fitting.find((network) => network.set === "open") ?? fitting[0])
      : fitting.find((network) => network.set === set);
  if (found) return found;
  if (fitting.length === 0) {
    const what = `${name === undefined ? "" : `"${name}" `}for "${task}"${character === undefined ? "" : ` of the character "${character}"`}`;
    throw new KinestitchError("weights", `${where} lists no network ${what}; ${where === PACKAGED ? ELSEWHERE : HELP}`);
  }
  const sets = fitting.map((network) => quoted(network.set)).join(", ");
  throw new KinestitchError(
    "option",
    `there is no set ${quoted(set ?? "")} for "${task}" in ${where}; there is ${sets}`,
  );
}

/** The file of a network with a role. */
export function fileOf({ name, files }: NetworkModel, role: string): NetworkFile {
  const file = files.find((file) => file.role === role);
  if (!file)
    throw new KinestitchError("weights", `the network ${quoted(name)} has no file with the role "${role}"; ${HELP}`);
  return file;
}

/** What keeps the bytes from being the file that the manifest names; `undefined` where they are. */
export async function mismatch(bytes: Uint8Array, { bytes: size, sha256 }: NetworkFile): Promise<string | undefined> {
  if (bytes.length !== size) return `${bytes.length} bytes where ${size} are needed`;
  // Pages that are not served securely have no `subtle`.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && hex(digest) !== sha256 ? "its SHA-256 is another" : undefined;
}

/** Throws unless the bytes are the file that the manifest names. */
export async function verify(bytes: Uint8Array, file: NetworkFile, where: string): Promise<void> {
  const how = await mismatch(bytes, file);
  if (how !== undefined)
    throw new KinestitchError(
      "weights",
      `the weights at ${where} are not the ${file.name} of their manifest: ${how}; ${HELP}`,
    );
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A failed read of a manifest or of weights, told with what to do. */
export function unreadable(error: unknown): unknown {
  if (!(error instanceof KinestitchError) || error.code !== "fetch") return error;
  return new KinestitchError("weights", `${error.message}; ${HELP}`, { cause: error });
}
