/** Choice of a network from models/manifest.json, and checksums of its files. */
import { KinestitchError } from "../core/error.js";
import { quote } from "../core/quote.js";
import type { NetworkFile, NetworkModel, NetworkTask } from "../core/types.js";

/** Advice for a folder of models with unexpected contents. */
export const HELP = "copy models/ of this package there, or name its folder in init({ networks: { models } })";

/** Location of a file of models/: in the user's own `folder`, or among the package's own files. */
export function placeOf(
  file: string,
  folder: URL | string | undefined,
  packaged: Record<string, URL | string> = {},
): URL | string {
  if (folder !== undefined) return `${String(folder).replace(/\/?$/, "/")}${file}`;
  const place = packaged[file];
  if (!place) throw new KinestitchError("weights", `this package has no ${file}; ${HELP}`);
  return place;
}

/** Name of the networks registered by imports, in messages. */
export const PACKAGED = "kinestitch/networks";
/** Advice for a network that is not among them: not imported, or not open. */
const ELSEWHERE =
  'import "kinestitch/networks/<name>" of it, too; or, where its weights are for research only and not in this package, serve models/ of the repository and name that folder: models: "/models/"';

/** A location as shown in messages. */
export function nameOf(place: URL | string): string {
  return String(place).replace(/\?no-inline$/, "");
}

/** Criteria for a network. */
export interface NetworkCriteria {
  task: NetworkTask;
  /** Its name, if given. */
  name?: string | undefined;
  /** Its character, for "control". */
  character?: string | undefined;
  /** Its training data; default: "open", else the first. */
  set?: string | undefined;
}

/** The network that meets the criteria. `where`: the manifest's address, for messages. */
export function choose(
  networks: readonly NetworkModel[],
  { task, name, character, set }: NetworkCriteria,
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
  const sets = fitting.map((network) => quote(network.set)).join(", ");
  throw new KinestitchError(
    "option",
    `there is no set ${quote(set ?? "")} for "${task}" in ${where}; there is ${sets}`,
  );
}

/** The file of a network with this role. */
export function fileOf({ name, files }: NetworkModel, role: string): NetworkFile {
  const file = files.find((file) => file.role === role);
  if (!file)
    throw new KinestitchError("weights", `the network ${quote(name)} has no file with the role "${role}"; ${HELP}`);
  return file;
}

/** Difference between the bytes and the file of the manifest; `undefined` if they agree. */
export async function mismatch(bytes: Uint8Array, { bytes: size, sha256 }: NetworkFile): Promise<string | undefined> {
  if (bytes.length !== size) return `${bytes.length} bytes where ${size} are needed`;
  // Pages without a secure context have no `subtle`.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && hex(digest) !== sha256 ? "its SHA-256 is another" : undefined;
}

/** Throws unless the bytes are the file of the manifest. */
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

/** Adds advice to the error of a failed read of a manifest or of weights. */
export function unreadable(error: unknown): unknown {
  if (!(error instanceof KinestitchError) || error.code !== "fetch") return error;
  return new KinestitchError("weights", `${error.message}; ${HELP}`, { cause: error });
}
