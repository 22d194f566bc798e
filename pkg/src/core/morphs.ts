/**
 * Tracks of morph targets (faces), which a clip carries beside its motion: `animateGlb` and `toAnimationClip` put them on
 * the same meshes. Changes of a single clip's time change them too; clips that are joined lose them.
 */

/** The keys of the morph targets of a node. */
export interface MorphTrack {
  /** Name of the node. */
  node: string;
  /** Number of morph targets. */
  targets: number;
  /** Seconds from the first frame of the clip, ascending. */
  times: Float32Array;
  /** Weights: [keys × targets]. */
  weights: Float32Array;
}

/** The weights of a track at a time, seconds; between keys they are interpolated linearly. */
function weightsAt({ times, weights, targets }: MorphTrack, time: number): Float32Array {
  const key = times.findLastIndex((keyTime) => keyTime <= time);
  const at = (index: number): Float32Array => weights.subarray(index * targets, (index + 1) * targets);
  if (key < 0) return at(0);
  if (key === times.length - 1) return at(key);
  const [from, to] = [times[key] as number, times[key + 1] as number];
  const part = to > from ? (time - from) / (to - from) : 0;
  return at(key).map((weight, i) => weight + ((at(key + 1)[i] as number) - weight) * part);
}

/** Returns the tracks of the part of a clip from `from` to `to`, seconds. */
export const sliceMorphs = (tracks: readonly MorphTrack[], from: number, to: number): MorphTrack[] =>
  tracks.map((track) => {
    const inside = [...track.times].filter((time) => time > from && time < to);
    const times = [from, ...inside, to];
    const weights = new Float32Array(times.length * track.targets);
    times.forEach((time, key) => weights.set(weightsAt(track, time), key * track.targets));
    return { ...track, times: Float32Array.from(times, (time) => time - from), weights };
  });

/** Returns the tracks of a clip in reverse. `seconds`: time of its last frame. */
export const reverseMorphs = (tracks: readonly MorphTrack[], seconds: number): MorphTrack[] =>
  tracks.map((track) => {
    const keys = [...track.times.keys()].reverse();
    const times = Float32Array.from(keys, (key) => Math.max(0, seconds - (track.times[key] as number)));
    const weights = new Float32Array(track.weights.length);
    keys.forEach((key, i) => {
      weights.set(track.weights.subarray(key * track.targets, (key + 1) * track.targets), i * track.targets);
    });
    return { ...track, times, weights };
  });

/** Returns the tracks of a clip at `factor` times its speed. */
export const scaleMorphs = (tracks: readonly MorphTrack[], factor: number): MorphTrack[] =>
  tracks.map((track) => ({ ...track, times: track.times.map((time) => time / factor) }));
