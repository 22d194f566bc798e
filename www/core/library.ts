/** The user's motions: read in the worker, and kept in memory with their files, also if reading fails. */
import type { BvhOptions, ClipInfo, LoadOptions, RigEdits } from "kinestitch/worker";
import { load, problemOf, type Problem, type Clip } from "./engine";
import { newId } from "./ids";
import { animationNames, forgetModel, isFbx, isModel, toReadableFile } from "./models";

/** One of the animations in a GLB, glTF or FBX file. */
export interface FileAnimation {
  file: File;
  animation: string;
}

/** A stored file that is missing, with its name. `animation`: name of the animation in the file. */
export interface MissingFile {
  missing: string;
  animation?: string | undefined;
}

/** Source of a motion. */
export type Origin = File | URL | FileAnimation;

const isFileAnimation = (origin: Origin | MissingFile): origin is FileAnimation => "file" in origin;
const isMissing = (origin: Origin | MissingFile): origin is MissingFile => "missing" in origin;

/** Number of attempts to read a file so far, over all files. */
let readingCount = 0;

/** A motion of the library, and the state of reading it. */
export interface Source {
  id: string;
  name: string;
  origin: Origin | MissingFile;
  state: "loading" | "ready" | "error";
  /** Fraction read, 0 to 1. */
  done: number;
  problem?: Problem;
  clip?: Clip;
  /** Info with the inferred bone mapping. */
  info?: ClipInfo;
  /** Clip and info with the user's corrections to the mapping, if there are any. */
  mapped?: { key: string; clip: Clip; info: ClipInfo };
  /** The user's corrections to how a BVH file is read. */
  reading?: BvhOptions | undefined;
  abort: AbortController;
  /** Number of the last attempt to read the file: results computed from an earlier attempt are outdated. */
  version: number;
}

/** Decodes the text of a URL; returns it unchanged if it cannot be decoded. */
function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the name of a motion: that of the animation, or the file name without folder and extension. The text after #
 * in a URL replaces its path.
 */
const plainName = (origin: Origin): string => {
  if (isFileAnimation(origin)) return origin.animation;
  const path = origin instanceof URL ? decodeUrl(origin.hash.slice(1) || origin.pathname) : origin.name;
  return (path.split("/").pop() ?? path).replace(/\.[^.]*$/, "") || path;
};

type ReadOptions = LoadOptions & Required<Pick<LoadOptions, "name" | "signal" | "onProgress">>;

/** Reads a motion. `isAgreed`: whether the user has agreed to fetch from its site. */
async function readClip(origin: Origin | MissingFile, options: ReadOptions, isAgreed: boolean): Promise<Clip> {
  if (isMissing(origin)) throw new Error("this browser no longer has the file; choose it again");
  if (origin instanceof URL && origin.origin !== location.origin) {
    const { agreeToFetch, fetchForeign } = await import("./foreign-files");
    if (isAgreed) agreeToFetch([origin]);
    return load(await fetchForeign(origin, options), options);
  }
  if (!isFileAnimation(origin)) {
    const isFbxFile = origin instanceof File && isFbx(origin);
    return load(isFbxFile ? await toReadableFile(origin, options.signal) : origin, options);
  }
  const { file, animation } = origin;
  return load(await toReadableFile(file, options.signal), { ...options, animation });
}

/** Whether a file contains an animation with a name. False if the file is damaged, which is reported when it is read. */
async function hasAnimation(file: File, animation: string): Promise<boolean> {
  return isModel(file) && (await animationNames(file).catch((): string[] => [])).includes(animation);
}

/** The motions that the user has opened, by id. */
export class Library {
  readonly sources = new Map<string, Source>();
  #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Adds a motion and starts to read it. `settled` resolves when reading has ended or failed; it never rejects. */
  add(origin: Origin): { source: Source; settled: Promise<void> } {
    const source: Source = {
      id: newId("file"),
      name: plainName(origin),
      origin,
      state: "loading",
      done: 0,
      abort: new AbortController(),
      version: 0,
    };
    this.sources.set(source.id, source);
    return { source, settled: this.#read(source) };
  }

  /** Adds a motion of stored work under its stored id and name, and starts to read it. */
  restore(id: string, name: string, origin: Origin | MissingFile, reading?: BvhOptions): void {
    const abort = new AbortController();
    const source: Source = { id, name, origin, state: "loading", done: 0, abort, version: 0, reading };
    this.sources.set(id, source);
    void this.#read(source);
  }

  /** Removes all motions. */
  clear(): void {
    this.sources.clear();
  }

  /** Returns a function that restores the current motions. */
  capture(): () => void {
    const entries = [...this.sources];
    return () => {
      this.sources.clear();
      for (const [id, source] of entries) this.sources.set(id, source);
    };
  }

  /** Whether no motion is being read. */
  get settled(): boolean {
    return [...this.sources.values()].every(({ state }) => state !== "loading");
  }

  /** Reads a motion again. By "Try again", the user agrees to fetch from the file's site. */
  retry(id: string): Promise<void> {
    const source = this.sources.get(id);
    if (!source) return Promise.resolve();
    source.abort.abort();
    source.abort = new AbortController();
    const { origin } = source;
    if (source.state === "error" && !isMissing(origin) && !(origin instanceof URL))
      forgetModel(isFileAnimation(origin) ? origin.file : origin);
    return this.#read(source, { isAgreed: true });
  }

  /** Replaces the file of a motion, and reads it: the same animation as before, if the file contains it. */
  replace(id: string, origin: File): Promise<void> {
    const source = this.sources.get(id);
    if (!source) return Promise.resolve();
    source.abort.abort();
    const animation = "animation" in source.origin ? source.origin.animation : undefined;
    Object.assign(source, {
      origin,
      name: plainName(origin),
      clip: undefined,
      info: undefined,
      mapped: undefined,
      reading: undefined,
    });
    source.abort = new AbortController();
    return this.#read(source, { animation });
  }

  /** Reads a BVH file again, with other corrections; `undefined` removes one. */
  correct(id: string, reading: BvhOptions): Promise<void> {
    const source = this.sources.get(id);
    if (!source) return Promise.resolve();
    source.abort.abort();
    source.abort = new AbortController();
    const corrections = Object.entries({ ...source.reading, ...reading }).filter(([, value]) => value !== undefined);
    source.reading = corrections.length > 0 ? (Object.fromEntries(corrections) as BvhOptions) : undefined;
    source.mapped = undefined;
    return this.#read(source);
  }

  cancel(id: string): void {
    this.sources.get(id)?.abort.abort();
  }

  /**
   * Returns a motion's clip with the user's corrections of the bone mapping. Rejects if the corrections are invalid.
   */
  async clip(id: string, edits: RigEdits | undefined): Promise<{ clip: Clip; info: ClipInfo }> {
    const source = this.sources.get(id);
    if (!source?.clip || !source.info) throw new Error(`"${source?.name ?? id}" is not loaded`);
    if (!edits) return { clip: source.clip, info: source.info };
    const key = JSON.stringify(edits);
    if (source.mapped?.key === key) return source.mapped;
    const { version } = source;
    const clip = await source.clip.withRig(edits);
    const mapped = { key, clip, info: await clip.info() };
    // The file may have been replaced meanwhile.
    if (source.version === version) source.mapped = mapped;
    return mapped;
  }

  /** Reads a motion. `animation`: name of the animation to read from a new file, if the file contains it. */
  async #read(
    source: Source,
    { isAgreed = false, animation }: { isAgreed?: boolean; animation?: string | undefined } = {},
  ): Promise<void> {
    source.state = "loading";
    const version = (source.version = ++readingCount);
    source.done = 0;
    source.problem = undefined;
    this.#onChange();
    const { signal } = source.abort;
    try {
      const { origin: file } = source;
      if (animation !== undefined && file instanceof File && (await hasAnimation(file, animation))) {
        if (source.version !== version) return;
        Object.assign(source, { origin: { file, animation }, name: animation });
      }
      const onProgress = ({ done }: { done: number }): void => {
        if (source.version !== version) return;
        source.done = done;
        this.#onChange();
      };
      const options = { ...source.reading, signal, name: source.name, onProgress };
      const clip = await readClip(source.origin, options, isAgreed);
      const info = await clip.info();
      if (source.version !== version) return;
      if (info.frames === 0) throw new Error("the file contains a skeleton but no frames; there is nothing to play");
      Object.assign(source, { clip, info, state: "ready", done: 1 });
    } catch (error) {
      // A later attempt has its own result.
      if (source.version !== version) return;
      source.state = "error";
      source.problem = signal.aborted ? { code: "aborted", message: "reading was cancelled" } : problemOf(error);
    }
    this.#onChange();
  }
}
