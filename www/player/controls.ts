/** The control bar of the player element: play button, slider, time. */
import type { Playback } from "../core/playback";

const PLAY = "M6 4.500v11l9-5.500z";
const PAUSE = "M6 4.500h3v11H6zM11 4.500h3v11h-3z";
const SVG = "http://www.w3.org/2000/svg";

/** Formats seconds as minutes and seconds, such as "1:05". */
const minutesAndSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** The control bar of a player. */
export class PlayerControls {
  readonly element = document.createElement("div");
  onToggle: (playing: boolean) => void = () => undefined;
  #playback: Playback;
  #button = document.createElement("button");
  #path = document.createElementNS(SVG, "path");
  #scrub = document.createElement("input");
  #time = document.createElement("span");

  constructor(playback: Playback) {
    this.#playback = playback;
    this.element.className = "controls";
    this.element.hidden = true;
    const icon = document.createElementNS(SVG, "svg");
    icon.setAttribute("viewBox", "0 0 20 20");
    icon.setAttribute("aria-hidden", "true");
    icon.append(this.#path);
    this.#button.type = "button";
    this.#button.append(icon);
    this.#button.addEventListener("click", () => this.toggle());
    Object.assign(this.#scrub, { type: "range", min: "0", step: "1" });
    this.#scrub.setAttribute("aria-label", "Frame");
    this.#scrub.addEventListener("input", () => {
      const frame = this.#scrub.valueAsNumber;
      if (playback.playing) this.toggle(false);
      playback.seek(frame);
    });
    this.#time.className = "time";
    this.element.append(this.#button, this.#scrub, this.#time);
    this.update();
  }

  toggle(playing = !this.#playback.playing): void {
    this.#playback.play(playing);
    this.onToggle(this.#playback.playing);
  }

  update(): void {
    const { playing, frames } = this.#playback;
    this.#path.setAttribute("d", playing ? PAUSE : PLAY);
    this.#button.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.#scrub.max = String(Math.max(0, frames - 1));
    this.#button.disabled = this.#scrub.disabled = frames === 0;
    this.showFrame();
  }

  showFrame(): void {
    const { shownFrame, frames, fps } = this.#playback;
    this.#scrub.value = String(shownFrame);
    this.#scrub.setAttribute("aria-valuetext", frames ? `Frame ${shownFrame + 1} of ${frames}` : "No motion");
    this.#time.textContent = frames
      ? `${minutesAndSeconds(shownFrame / fps)} / ${minutesAndSeconds((frames - 1) / fps)}`
      : "";
  }
}
