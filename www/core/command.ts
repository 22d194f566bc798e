/** Commands: actions of the page, their keys, and their description in the dialog of keys. */

/** An action of the page that keys run. */
export interface Command {
  id: string;
  /** Heading in the dialog of keys. */
  group: string;
  title: string;
  /** Keys as {@link chord} writes them. Each of them runs the command. */
  keys: string[];
  run: () => void;
}

/** Functions that the page provides to commands and panels. */
export interface Host {
  openFiles(): void;
  toggleHelp(): void;
  toggleExport(): void;
  view(command: "front" | "side" | "top" | "frame"): void;
  /** Orbits the camera around the figure, radians. */
  orbit(right: number, up: number): void;
  /** Multiplies the distance of the camera. */
  zoom(factor: number): void;
  /** Stores unsaved changes of the work in the browser immediately. */
  storeWork(): Promise<void>;
  /** Marks the page as outdated, after a change that it does not show yet. */
  markPending(): void;
  /** Returns the heading of the camera, radians from +z towards +x. */
  heading(): number;
}

/**
 * Returns the keys of an event, such as "mod+shift+z": "mod+" (Ctrl or Cmd), "alt+" and "shift+" in this order, then
 * `KeyboardEvent.key` in lower case. Shift is omitted if it only produces the character, as for "?" and "+".
 */
export function chord(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && (key.length > 1 || /[a-z ]/.test(key));
  return `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}
