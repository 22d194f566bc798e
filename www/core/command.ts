/** What a command is: something the page can do by key, and what the sheet of keys says of it. */

export interface Command {
  id: string;
  /** Heading on the sheet of keys. */
  group: string;
  title: string;
  /** As `KeyboardEvent.key`, lower case, after "mod+" (Ctrl or Cmd), "alt+", "shift+" in that order. */
  keys: string[];
  run: () => void;
}

/** What commands and panels need of the page around the app. */
export interface Host {
  openFiles(): void;
  toggleHelp(): void;
  toggleExport(): void;
  view(command: "front" | "side" | "top" | "frame"): void;
  orbit(right: number, up: number): void;
  zoom(factor: number): void;
  /** Something changed, and the page does not show it yet. */
  pending(): void;
  /** Which way the camera looks over the ground, radians from +z towards +x. */
  heading(): number;
}

/** "mod+shift+z" of an event. Shift is left out where it only makes the character, as in "?" and "+". */
export function chord(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && (key.length > 1 || /[a-z ]/.test(key));
  return `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}
