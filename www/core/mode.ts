/**
 * Modes: ways to work with motions, each with a document, a clock and a view of its own. The page shows one at a
 * time.
 */
import type { nothing, TemplateResult } from "lit-html";
import type { Track } from "../timeline/track";
import type { StageContents } from "../viewer/stage-contents";
import type { App } from "./app";
import type { Command } from "./command";
import type { History } from "./history";
import type { DocumentStorage } from "./stored-work";
import type { Origin } from "./library";
import type { Marks } from "./marks";
import type { Panel } from "./panel";
import type { Playback } from "./playback";

/** Contents of an export. */
export interface Exportable {
  name: string;
  clip: { toBvh(): string | Promise<string>; toGlb(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> };
  /** Called after saving: closing the page then loses nothing. */
  onSaved(): void;
}

/** Properties of a mode in real time: it has no frames to go to, and its keys are held. */
export interface RealTime {
  readonly isRunning: boolean;
  /** Advances by real seconds before the page is drawn; returns whether the picture has changed. */
  advance(seconds: number): boolean;
  /** Keys that steer while held; no command uses them. */
  readonly heldKeys: ReadonlySet<string>;
  /** Steering keys for the sheet of keys. */
  readonly steering: readonly (readonly [what: string, keys: readonly string[]])[];
}

/** A mode in the menu; its code is loaded when it is first shown. */
export interface ModeEntry {
  readonly id: string;
  readonly title: string;
  create(app: App): Mode | Promise<Mode>;
}

/** A clip that can be exported separately. */
export interface ExportableClip {
  id: string;
  name: string;
  clip(): Promise<Exportable["clip"]>;
}

/** A way to work with motions; see the classes `Stitch`, `Inbetween` and `Control`. */
export interface Mode {
  /** Stable identifier, as in the page's address after #. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  /** Pointer gestures for the sheet of keys. */
  readonly gestures: readonly (readonly [what: string, how: string])[];
  /** Setting that makes the camera follow. */
  readonly followSetting: "follow" | "followKeys";
  readonly clock: Playback;
  readonly realTime?: RealTime;
  readonly track: Track;
  readonly history: Pick<History<unknown>, "undo" | "redo" | "undoLabel" | "redoLabel" | "undoAt" | "redoAt">;
  /** Whether closing the page would lose work. */
  readonly unsaved: boolean;
  /** Whether the display agrees with the document, and nothing is being read or computed. */
  readonly settled: boolean;
  /** Whether the result has an error. */
  readonly failed: boolean;

  /** Contents below the transport: the timeline. */
  timeline(): TemplateResult;
  /** Contents over the view, beside its switches. */
  overlay(): TemplateResult | typeof nothing;
  /** Contents of the viewer; the same objects while nothing changed. */
  displayedMotions(): StageContents;
  /** Present frames of both sides of the view. */
  frames(): readonly [number, number];
  marks(): Marks;
  /** Updates the results from the document. Called before the page is drawn: drawing starts no work. */
  update(): void;
  /** Called when the shown frame changed; must be quick. */
  onFrame(): void;
  exportable(): Exportable | undefined;
  /** Clips that can be exported separately. */
  exportableClips?(): readonly ExportableClip[];
  /** How its document is stored between visits; absent if not stored. */
  readonly storage?: DocumentStorage;
  /** Adds motions. */
  open(origins: readonly Origin[]): void;
  /** Called when the mode is shown or hidden. */
  enter(): void;
  leave(): void;
}
