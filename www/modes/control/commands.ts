/** Commands of the mode, except for the steering keys. */
import type { Command } from "../../core/command";
import { sendToStitch } from "../../core/send";
import { CHARACTERS } from "./characters";
import type { Control } from "./control";

/** Returns the commands of the mode. */
export function commands(mode: Control): Command[] {
  const line = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Character",
    title,
    keys,
    run,
  });
  const next = (): void => {
    const at = CHARACTERS.findIndex(({ id }) => id === mode.lead);
    const other = CHARACTERS[(at + 1) % CHARACTERS.length];
    if (other && other.id !== mode.lead) void mode.steer(other.id);
  };
  return [
    line("pause", "Pause or go on", [" "], () => mode.pause(!mode.paused)),
    line("stop", "Stand still", ["escape"], () => mode.stop()),
    line("itself", "Walk by itself", ["o"], () => mode.demo(!mode.isDemo)),
    line("strafe", "Look where the camera looks, or where it goes", ["v"], () => {
      mode.strafes = !mode.strafes;
      mode.app.requestUpdate();
    }),
    line("style", "Next style", ["m"], () => {
      const styles = mode.actor?.controller.styles ?? [];
      mode.style = styles[(styles.indexOf(mode.style ?? styles[0]) + 1) % Math.max(1, styles.length)];
      mode.app.requestUpdate();
    }),
    ...(CHARACTERS.length > 1 ? [line("character", "Steer the other character", ["e"], next)] : []),
    line("record", "Record, or stop recording", ["r"], () => mode.record(mode.recorder.seconds === undefined)),
    line("send", "Send the recording to Stitch", ["mod+enter"], () => void sendToStitch(mode.app)),
  ];
}
