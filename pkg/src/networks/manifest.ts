/** Chooses a network of a manifest, and verifies its files by their checksums. */
import { KinestitchError } from "../core/error.js";
import { quote } from "../core/quote.js";
import type { NetworkFile, NetworkModel, NetworkTask } from "../core/types.js";

/** Advice for a folder of models with unexpected contents. */
export const HELP = "copy models/ of this package there, or pass the URL of its folder: init({ networks: { models } })";

/** Returns the URL of a file of models/: in the user's `folder`, or among the files of this package, `packaged`. */
export function fileUrl(
  file: string,
  folder: URL | string | undefined,
  packaged: Record<string, URL | string> = {},
): URL | string {
  if (folder !== undefined) return `${String(folder).replace(/\/?$/, "/")}${file}`;
  const url = packaged[file];
  if (!url) throw new KinestitchError("weights", `this package has no ${file}; ${HELP}`);
  return url;
}

/** Name in messages of the manifest of the imported networks. */
export const PACKAGED = "kinestitch/networks";
/** Advice for a network that was not imported, or that is for research only. */
const IMPORT_HELP =
  'import "kinestitch/networks/<name>" too; or, if its weights are for research only and not in this package, ' +
  'serve the folder models/ of the repository and pass its URL: models: "/models/"';

/** Formats a URL for messages. */
export function displayUrl(url: URL | string): string {
  return String(url).replace(/\?no-inline$/, "");
}

/** Criteria for a network. */
export interface NetworkCriteria {
  task: NetworkTask;
  /** Name of the network; default: any. */
  name?: string | undefined;
  /** Character that the network moves; only for the task "control". */
  character?: string | undefined;
  /** Name of the set of weights; default: "open" if listed, else the first set. */
  set?: string | undefined;
}

/** Returns the network that meets the criteria. `manifestName`: URL of the manifest, for messages. */
export function choose(
  networks: readonly NetworkModel[],
  { task, name, character, set }: NetworkCriteria,
  manifestName: string,
): NetworkModel {
  const candidates = networks.filter(
    (network) =>
      network.for === task && network.character === character && (name === undefined || network.name === name),
  );
  const network =
    set === undefined
      ? (candidates.find((network) => network.set === "open") ?? candidates[0])
      : candidates.find((network) => network.set === set);
  if (network) return network;
  const namePart = name === undefined ? "" : `${quote(name)} `;
  const characterPart = character === undefined ? "" : ` of the character ${quote(character)}`;
  const description = `${namePart}for "${task}"${characterPart}`;
  if (candidates.length === 0) {
    throw new KinestitchError(
      "weights",
      `${manifestName} lists no network ${description}; ${manifestName === PACKAGED ? IMPORT_HELP : HELP}`,
    );
  }
  const sets = candidates.map((network) => quote(network.set)).join(", ");
  throw new KinestitchError(
    "option",
    `there is no set ${quote(set ?? "")} of the network ${description} in ${manifestName}; there is ${sets}`,
    { option: "set" },
  );
}

/** Returns the file of a network with a role. */
export function fileOf({ name, files }: NetworkModel, role: string): NetworkFile {
  const file = files.find((file) => file.role === role);
  if (!file)
    throw new KinestitchError("weights", `the network ${quote(name)} has no file with the role "${role}"; ${HELP}`);
  return file;
}

/** Describes the difference between bytes and a file of the manifest; `undefined` if they are equal. */
export async function mismatch(bytes: Uint8Array, { bytes: size, sha256 }: NetworkFile): Promise<string | undefined> {
  if (bytes.length !== size) return `${bytes.length} bytes where ${size} are needed`;
  // Without a secure context, a page has no `subtle`; then only the size is compared.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && hex(digest) !== sha256 ? "its SHA-256 is different" : undefined;
}

/** Throws unless the bytes are the file of the manifest. `location`: URL of the bytes, for messages. */
export async function verify(bytes: Uint8Array, file: NetworkFile, location: string): Promise<void> {
  const difference = await mismatch(bytes, file);
  if (difference !== undefined)
    throw new KinestitchError(
      "weights",
      `the weights at ${location} are not the ${file.name} of their manifest: ${difference}; ${HELP}`,
    );
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Adds advice to an error of reading a manifest or weights; returns other errors unchanged. */
export function addHelp(error: unknown): unknown {
  if (!(error instanceof KinestitchError) || error.code !== "fetch") return error;
  return new KinestitchError("weights", `${error.message}; ${HELP}`, { cause: error });
}
