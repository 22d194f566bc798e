/** A BVH file split into its hierarchy and its frames, so that it can be extended to any length. */
export interface Recording {
  name: string;
  /** Everything before the `MOTION` line. */
  hierarchy: string;
  /** Seconds per frame, as text. */
  frameTime: string;
  /** Lines of the frames. */
  rows: string[];
}

/** Splits the text of a BVH file into its hierarchy and its frames. Throws if it is not a BVH file. */
export function splitRecording(name: string, text: string): Recording {
  // A line of its own: names of joints may contain this word.
  const motionStart = text.search(/^[ \t]*MOTION[ \t]*$/m);
  const lines = text
    .slice(motionStart)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const frameTime = lines[2]?.split(":")[1]?.trim();
  if (motionStart < 0 || !frameTime || lines.length < 4) throw new Error(`${name} is not a BVH file`);
  return { name, hierarchy: text.slice(0, motionStart), frameTime, rows: lines.slice(3) };
}

/** Returns a BVH file with a number of frames, by repeating the recording. */
export function withFrames(recording: Recording, frames: number): string {
  const rows = Array.from({ length: frames }, (_, frame) => recording.rows[frame % recording.rows.length]);
  return `${recording.hierarchy}MOTION\nFrames: ${frames}\nFrame Time: ${recording.frameTime}\n${rows.join("\n")}\n`;
}

/** Returns a BVH file of about `bytes` bytes, by repeating the recording. */
export function withBytes(recording: Recording, bytes: number): string {
  const rowBytes = recording.rows.reduce((sum, text) => sum + text.length + 1, 0) / recording.rows.length;
  return withFrames(recording, Math.ceil((bytes - recording.hierarchy.length) / rowBytes));
}
