/** `kinestitch lscore`: scores cuts between two motions. */
import { bestSeam, lscore as scoreCut, seamMap } from "../node.js";
import { printableJson } from "../core/quote.js";
import type { Clip, Cut, SeamMap } from "../core/types.js";
import type { LscoreCommand } from "./commands.js";
import { animationFor, loadFile, printReport } from "./files.js";
import { checkOutputs, write } from "./output.js";

/** Prints the score of a cut, or the best cuts. */
export async function lscore(command: LscoreCommand): Promise<void> {
  const { files, map: path, json, options, animation } = command;
  const { takeoff, landing, ...scoring } = options;
  if (path !== undefined) checkOutputs([path], files);
  // Each clip is named after its path, so that errors name the file.
  const loadNamed = (file: string): Promise<Clip> => loadFile(file, file, animationFor(file, files, animation));
  const [a, b] = await Promise.all([loadNamed(files[0]), loadNamed(files[1])]);
  if (path !== undefined) await write(path, toCsv(await seamMap(a, b, scoring)));
  const print = (report: string): Promise<void> => printReport(report, { path: path ?? "" });
  if (takeoff === undefined && landing === undefined) {
    const best = await bestSeam(a, b, scoring);
    await print(json ? printableJson({ best }, 2) : best.map(text).join("\n"));
    return;
  }
  const { curve: _, ...cut } = await scoreCut(a, b, options);
  await print(json ? printableJson(cut, 2) : text(cut));
}

function text({ takeoff, landing, inject, score, euclidean }: Cut): string {
  const scores = `L-score ${score.toPrecision(4)}, Euclidean distance ${euclidean.toPrecision(4)}`;
  return `take-off ${takeoff}, landing ${landing}, inject ${inject}: ${scores}`;
}

function toCsv({ takeoffs, landings, scores, injects }: SeamMap): string {
  const lines = ["takeoff,landing,inject,score"];
  scores.forEach((score, cell) => {
    const takeoff = takeoffs.from + Math.floor(cell / landings.length);
    lines.push(`${takeoff},${landings[cell % landings.length]},${injects[cell]},${score.toPrecision(7)}`);
  });
  return `${lines.join("\n")}\n`;
}
