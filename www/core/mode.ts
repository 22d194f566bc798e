/** What a mode is: one way to work with motions, with a document, a clock and a view of its own. The page shows one at a time. */
import type { nothing, TemplateResult } from "lit-html";
import type { Track } from "../timeline/track";
import type { Scenery } from "../viewer/scenery";
import type { App } from "./app";
import type { Command } from "./command";
import type { History } from "./history";
import type { Keeping } from "./kept";
import type { Origin } from "./library";
import type { Marks } from "./marks";
import type { Panel } from "./panel";
import type { Playback } from "./playback";

/** What an export button saves. */
export interface Exportable {
  name: string;
  clip: { toBvh(): string | Promise<string>; toGlb(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> };
  /** Called once it is saved: closing the page loses nothing from then on. */
  saved(): void;
}

/** What a mode has that goes on by itself, in real time: it has no frames to go to, and keys that are held. */
export interface RealTime {
  readonly running: boolean;
  /** Goes on by real seconds, before the page is drawn; whether there is something new to see. */
  advance(secs: number): boolean;
  /** Keys that steer while they are held: no command has them. */
  readonly held: ReadonlySet<string>;
  /** The same for the sheet of keys. */
  readonly steering: readonly (readonly [what: string, keys: readonly string[]])[];
}

/** A mode in the menu. What it is made of is fetched when it is first shown. */
export interface ModeEntry {
  readonly id: string;
  readonly title: string;
  make(app: App): Mode | Promise<Mode>;
}

/** A clip that can be exported by itself. */
export interface Part {
  id: string;
  name: string;
  clip(): Promise<Exportable["clip"]>;
}

export interface Mode {
  /** Stable word, as in the page's address after the #. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  /** Pointer gestures for the sheet of keys: what, and how. */
  readonly gestures: readonly (readonly [what: string, how: string])[];
  /** The setting that says whether the camera goes along. */
  readonly follows: "follow" | "followKeys";
  readonly clock: Playback;
  readonly realTime?: RealTime;
  readonly track: Track;
  readonly history: Pick<History<unknown>, "undo" | "redo" | "undoLabel" | "redoLabel" | "undoAt" | "redoAt">;
  /** Closing the page now would lose work. */
  readonly unsaved: boolean;
  /** Nothing is being read or computed: what is shown is of the document as it is. */
  readonly settled: boolean;
  /** Something is wrong with the result. */
  readonly failed: boolean;

  /** What stands below the transport: the timeline. */
  lower(): TemplateResult;
  /** What lies over the view, beside its switches. */
  overlay(): TemplateResult | typeof nothing;
  /** What the viewer shows; the same objects while nothing changed. */
  exhibits(): Scenery;
  /** Frames the two sides of the view show now. */
  frames(): readonly [number, number];
  marks(): Marks;
  /** Brings the results up to date with the document. Called before the page is drawn: drawing starts no work. */
  update(): void;
  /** Called when the shown frame changed; must be quick. */
  onFrame(): void;
  exportable(): Exportable | undefined;
  /** Clips that can be exported one by one. */
  parts?(): readonly Part[];
  /** How its document is kept between visits; absent: not at all. */
  readonly keeping?: Keeping;
  /** Takes motions in. */
  open(origins: readonly Origin[]): void;
  /** The mode is shown from now on, or no longer. */
  enter(): void;
  leave(): void;
}
