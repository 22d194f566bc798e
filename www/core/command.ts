/** Commands: actions of the page with their keys, and their description on the sheet of keys. */

export interface Command {
  id: string;
  /** Heading on the sheet of keys. */
  group: string;
  title: string;
  /** As `KeyboardEvent.key`, lower case, after "mod+" (Ctrl or Cmd), "alt+", "shift+" in that order. */
  keys: string[];
  run: () => void;
}

/** Functions of the page for commands and panels. */
export interface Host {
  openFiles(): void;
  toggleHelp(): void;
  toggleExport(): void;
  view(command: "front" | "side" | "top" | "frame"): void;
  orbit(right: number, up: number): void;
  zoom(factor: number): void;
  /** Called when something changed that the page does not show yet. */
  pending(): void;
  /** Heading of the camera, radians from +z towards +x. */
  heading(): number;
}

/** "mod+shift+z" of an event. Shift is omitted where it only produces the character, as in "?" and "+". */
export function chord(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && (key.length > 1 || /[a-z ]/.test(key));
  return `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}
