/** Commands of the mode, except for the steering keys. */
import type { Command } from "../../core/command";
import { sendToStitch } from "../../core/send";
import { CHARACTERS } from "./characters";
import type { Control } from "./control";

/** Creates the commands of the mode. */
export function createCommands(mode: Control): Command[] {
  const command = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Character",
    title,
    keys,
    run,
  });
  const steerNext = (): void => {
    const index = CHARACTERS.findIndex(({ id }) => id === mode.lead);
    const next = CHARACTERS[(index + 1) % CHARACTERS.length];
    if (next && next.id !== mode.lead) void mode.steer(next.id);
  };
  return [
    command("pause", "Pause or continue", [" "], () => mode.pause(!mode.paused)),
    command("stop", "Stand still", ["escape"], () => mode.stop()),
    command("itself", "Demo walk", ["o"], () => mode.setDemo(!mode.isDemo)),
    command("strafe", "Face the direction of the camera, or of movement", ["v"], () => {
      mode.strafes = !mode.strafes;
      mode.app.requestUpdate();
    }),
    command("style", "Next style", ["m"], () => {
      const styles = mode.actor?.controller.styles ?? [];
      mode.style = styles[(styles.indexOf(mode.style ?? styles[0]) + 1) % Math.max(1, styles.length)];
      mode.app.requestUpdate();
    }),
    ...(CHARACTERS.length > 1 ? [command("character", "Steer the other character", ["e"], steerNext)] : []),
    command("record", "Record, or stop recording", ["r"], () => mode.record(mode.recorder.seconds === undefined)),
    command("send", "Send the recording to Stitch", ["mod+enter"], () => void sendToStitch(mode.app)),
  ];
}
