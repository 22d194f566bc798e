/** A BVH file split into parts, to be extended to any length. */
export interface Recording {
  name: string;
  /** Everything before the `MOTION` line. */
  hierarchy: string;
  frameTime: string;
  rows: string[];
}

/** Splits the text of a BVH file into its parts. */
export function splitRecording(name: string, text: string): Recording {
  const motionStart = text.indexOf("MOTION");
  const lines = text
    .slice(motionStart)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const frameTime = lines[2]?.split(":")[1]?.trim();
  if (motionStart < 0 || !frameTime || lines.length < 4) throw new Error(`${name} is no BVH file`);
  return { name, hierarchy: text.slice(0, motionStart), frameTime, rows: lines.slice(3) };
}

/** The recording repeated up to a number of frames. */
export function withFrames(recording: Recording, frames: number): string {
  const rows = Array.from({ length: frames }, (_, frame) => recording.rows[frame % recording.rows.length]);
  return `${recording.hierarchy}MOTION\nFrames: ${frames}\nFrame Time: ${recording.frameTime}\n${rows.join("\n")}\n`;
}

/** The recording repeated until its text has about `bytes` bytes. */
export function withBytes(recording: Recording, bytes: number): string {
  const rowBytes = recording.rows.reduce((sum, text) => sum + text.length + 1, 0) / recording.rows.length;
  return withFrames(recording, Math.ceil((bytes - recording.hierarchy.length) / rowBytes));
}
