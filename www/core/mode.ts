/**
 * Modes of the page: stitch, in-between, control. Each has its own document, clock and view; the page shows one of
 * them.
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

/** A motion for export. */
export interface Exportable {
  name: string;
  clip: { toBvh(): string | Promise<string>; toGlb(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> };
  /** Called after the motion was saved as a file or sent to Stitch: the mode then has no unsaved work. */
  onSaved(): void;
}

/** Properties of a mode that runs in real time: it has no timeline, and the user steers with held keys. */
export interface RealTime {
  /** Whether the character moves. */
  readonly isRunning: boolean;
  /** Advances by the seconds since the last call, before the page is drawn. Returns whether the picture has changed. */
  advance(seconds: number): boolean;
  /** Keys that steer while held; no command uses them. */
  readonly heldKeys: ReadonlySet<string>;
  /** Steering keys for the dialog of keys. */
  readonly steering: readonly (readonly [action: string, keys: readonly string[]])[];
}

/** A mode in the menu. `create` loads its code, when it is first needed. */
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

/** A mode of the page; see the classes `Stitch`, `Inbetween` and `Control`. */
export interface Mode {
  /** Stable identifier, as in the page's address after #. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  /** Pointer gestures for the dialog of keys. */
  readonly gestures: readonly (readonly [action: string, gesture: string])[];
  /** Name of the setting by which the camera follows the figure in this mode. */
  readonly followSetting: "follow" | "followKeys";
  readonly clock: Playback;
  readonly realTime?: RealTime;
  readonly track: Track;
  readonly history: Pick<History<unknown>, "undo" | "redo" | "undoLabel" | "redoLabel" | "undoAt" | "redoAt">;
  /** Whether closing the page would lose work. */
  readonly unsaved: boolean;
  /** Whether the display agrees with the document, and nothing is being read or computed. */
  readonly settled: boolean;
  /** Whether computing the result has failed. */
  readonly failed: boolean;

  /** Renders the timeline, below the playback controls. */
  timeline(): TemplateResult;
  /** Renders controls over the 3D view, beside its switches. */
  overlay(): TemplateResult | typeof nothing;
  /** Returns the contents of the 3D view. As long as nothing changes, the objects in it are the same. */
  stageContents(): StageContents;
  /** Returns the current frames of the sides a and b of the view. */
  frames(): readonly [number, number];
  marks(): Marks;
  /** Updates the results from the document. Called before the page is drawn: drawing starts no work. */
  update(): void;
  /** Called after the displayed frame changed. Runs during playback, so it must be fast. */
  onFrame(): void;
  /** Returns the result for export; `undefined` if there is none. */
  exportable(): Exportable | undefined;
  /** Returns the clips that can be exported separately. */
  exportableClips?(): readonly ExportableClip[];
  /** Storage of the document between visits; absent if it is not stored. */
  readonly storage?: DocumentStorage;
  /** Adds motions to the document. */
  open(origins: readonly Origin[]): void;
  /** Called when the mode is shown. If its document is empty, it opens its demo. */
  enter(): void;
  /** Called when another mode is shown. */
  leave(): void;
}
