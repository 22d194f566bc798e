/** The clock of a mode: the current frame, and playing. */

/**
 * Longest time that playback advances at once, seconds. The time during which a tab was hidden arrives at once, and is
 * skipped.
 */
const MAX_ADVANCE_SECS = 0.25;

/** The playhead of a motion: its frame, speed and loop. */
export class Playback {
  /** Current frame. Fractional while playing and after a seek to a time between two frames. */
  frame = 0;
  /** Number of frames of the motion. */
  frames = 0;
  fps = 30;
  playing = false;
  loop = true;
  /** 1 is real time. */
  speed = 1;
  /** If set, only the frames [from, to) are played: the loop around a seam or key. */
  range: { from: number; to: number } | undefined;
  /** Called when the current frame changes. */
  onFrame: () => void = () => undefined;
  /** Called when a value changes that the playback controls show, except for the frame. */
  onState: () => void = () => undefined;

  get seconds(): number {
    return this.frame / this.fps;
  }

  /** Current frame, rounded; 0 without a motion. */
  get shownFrame(): number {
    return Math.max(0, Math.min(this.frames - 1, Math.round(this.frame)));
  }

  /**
   * Sets the length and frame rate of the motion. If one of them changes, the playhead keeps its time, and a loop around
   * a range ends.
   */
  setClip(frames: number, fps: number): void {
    if (frames === this.frames && fps === this.fps) return;
    const seconds = this.seconds;
    this.frames = frames;
    this.fps = fps;
    this.range = undefined;
    this.frame = Math.max(0, Math.min(frames - 1, Math.round(seconds * fps)));
    this.onFrame();
    this.onState();
  }

  play(playing = !this.playing): void {
    if (playing && this.frames > 1 && !this.loop && this.frame >= this.#lastFrame()) this.frame = this.range?.from ?? 0;
    this.playing = playing;
    if (!this.playing) this.frame = this.shownFrame;
    this.onFrame();
    this.onState();
  }

  /** Moves the playhead to a frame. A jump out of the looped range ends that loop. */
  seek(frame: number): void {
    const target = Math.max(0, Math.min(this.frames - 1, frame));
    // A page may set `frame` or `currentTime` of the player element to any value, such as `undefined`.
    if (Number.isNaN(target)) return;
    this.frame = target;
    if (this.range && (this.frame < this.range.from || this.frame >= this.range.to)) {
      this.range = undefined;
      this.onState();
    }
    this.onFrame();
  }

  /** Pauses, and moves the playhead by a number of frames. */
  step(frames: number): void {
    if (this.playing) this.play(false);
    this.seek(this.shownFrame + frames);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.onState();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.onState();
  }

  setRange(range: { from: number; to: number } | undefined): void {
    this.range = range && { from: Math.max(0, range.from), to: Math.min(this.frames, range.to) };
    if (this.range && (this.frame < this.range.from || this.frame >= this.range.to)) this.frame = this.range.from;
    this.onFrame();
    this.onState();
  }

  /** While playing, moves the playhead by the real seconds since the last call. */
  advance(seconds: number): void {
    if (!this.playing || this.frames < 2) return;
    const start = this.range?.from ?? 0;
    const end = this.#lastFrame();
    // The time of an animation frame may be before the time at which it was requested.
    const elapsed = Math.max(0, Math.min(seconds, MAX_ADVANCE_SECS));
    let frame = this.frame + elapsed * this.fps * this.speed;
    if (frame > end) {
      if (this.loop) frame = start + ((frame - end) % Math.max(1, end - start));
      else {
        this.frame = end;
        this.play(false);
        return;
      }
    }
    this.frame = frame;
    this.onFrame();
  }

  #lastFrame(): number {
    return Math.max(0, (this.range?.to ?? this.frames) - 1);
  }
}
