/** The clock: the present frame, and its advance. */

export class Playback {
  /** May lie between frames while playing; whole when paused. */
  frame = 0;
  frames = 0;
  fps = 30;
  playing = false;
  loop = true;
  speed = 1;
  /** Plays only [from, to) when set: the loop around a seam. */
  range: { from: number; to: number } | undefined;
  /** Called when the shown frame changes. */
  onFrame: () => void = () => undefined;
  /** Called when anything a control shows changes. */
  onState: () => void = () => undefined;

  get seconds(): number {
    return this.frame / this.fps;
  }

  get shownFrame(): number {
    return Math.min(this.frames - 1, Math.max(0, Math.round(this.frame)));
  }

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

  /** Shows a frame; a jump out of the looped range ends that loop. */
  seek(frame: number): void {
    this.frame = Math.max(0, Math.min(this.frames - 1, frame));
    if (this.range && (this.frame < this.range.from || this.frame >= this.range.to)) {
      this.range = undefined;
      this.onState();
    }
    this.onFrame();
  }

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

  /** Moves on by real seconds. */
  advance(seconds: number): void {
    if (!this.playing || this.frames < 2) return;
    const start = this.range?.from ?? 0;
    const end = this.#lastFrame();
    // A hidden tab passes many seconds at once, which are skipped.
    let frame = this.frame + Math.min(seconds, 0.25) * this.fps * this.speed;
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
