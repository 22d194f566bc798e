/** models/manifest.json: which networks there are, and whether a file is the one it names. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { NetworkModel } from "../core/types.js";

/** A network of the manifest, with what proves that a file is it. */
export interface Listed extends NetworkModel {
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** What to do about a folder of models that does not hold what it should. */
const HELP = "copy models/ of this package there, or name its folder in init({ networks: { models } })";

/** Where a file of models/ lies: in the user's own `folder`, or among the package's own files. */
export function placeOf(file: string, folder: URL | string | undefined, packaged: Record<string, URL> = {}): URL | string {
  if (folder !== undefined) return `${String(folder).replace(/\/?$/, "/")}${file}`;
  const place = packaged[file];
  if (!place) throw new KinestitchError("weights", `this package holds no ${file}; ${HELP}`);
  return place;
}

/** A place as messages name it. */
export function nameOf(place: URL | string): string {
  return String(place).replace(/\?no-inline$/, "");
}

/** Text of a manifest → its networks. `where` is its address, for messages. */
export function parseManifest(text: string, where: string): Listed[] {
  try {
    const { models } = JSON.parse(text) as { models: Record<string, unknown>[] };
    return models.map(listed);
  } catch (error) {
    throw new KinestitchError("weights", `${where} is no manifest of Kinestitch networks (${messageOf(error)}); ${HELP}`, { cause: error });
  }
}

function listed(model: Record<string, unknown>): Listed {
  const word = (key: string, shape = /./): string => {
    const value = model[key];
    if (typeof value !== "string" || !shape.test(value)) throw new TypeError(`its "${key}" is ${JSON.stringify(value)}`);
    return value;
  };
  const count = (key: string): number => {
    const value = model[key];
    if (!Number.isSafeInteger(value)) throw new TypeError(`its "${key}" is ${JSON.stringify(value)}`);
    return value as number;
  };
  return {
    method: word("method") as "rmr",
    set: word("set"),
    licence: word("licence"),
    data: (model.data ?? []) as NetworkModel["data"],
    // A plain name: a manifest must not lead out of its folder.
    file: word("file", /^\w[\w.-]*$/),
    bytes: count("size"),
    layout: count("layout"),
    sha256: word("sha256", /^[\da-f]{64}$/),
    scores: (model.scores ?? {}) as NetworkModel["scores"],
  };
}

/** The network for a method: of the set asked for, else "open", else the first there is. */
export function choose(models: readonly Listed[], method: NetworkModel["method"], set: string | undefined, where: string): Listed {
  const fitting = models.filter((model) => model.method === method);
  const found = set === undefined ? (fitting.find((model) => model.set === "open") ?? fitting[0]) : fitting.find((model) => model.set === set);
  if (found) return found;
  if (fitting.length === 0) throw new KinestitchError("weights", `${where} lists no network for "${method}"; ${HELP}`);
  const sets = fitting.map((model) => `"${model.set}"`).join(", ");
  throw new KinestitchError("option", `there is no set "${set}" of "${method}" in ${where}; there is ${sets}`);
}

/** What keeps the bytes from being the file that the manifest names; `undefined` where they are. */
export async function mismatch(bytes: Uint8Array, { bytes: size, sha256 }: Listed): Promise<string | undefined> {
  if (bytes.length !== size) return `${bytes.length} bytes where ${size} are needed`;
  // Pages that are not served securely have no `subtle`; the file's own checksum is still looked at when it is read.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && hex(digest) !== sha256 ? "its SHA-256 is another" : undefined;
}

/** Throws unless the bytes are the file that the manifest names. */
export async function verify(bytes: Uint8Array, model: Listed, where: string): Promise<void> {
  const how = await mismatch(bytes, model);
  if (how !== undefined) throw new KinestitchError("weights", `${where} is not the ${model.file} of its manifest: ${how}; ${HELP}`);
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A failed read of a manifest or of weights, told with what to do. */
export function unreadable(error: unknown): unknown {
  if (!(error instanceof KinestitchError) || error.code !== "fetch") return error;
  return new KinestitchError("weights", `${error.message}; ${HELP}`, { cause: error });
}
