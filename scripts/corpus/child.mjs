// The process of scripts/corpus.mjs that judges files: receives a path, and answers with a report.
import { judgeFile } from "./judge.mjs";
import { openPackage } from "./package.mjs";

const [, , packageFolder, animations] = process.argv;
const kinestitch = await openPackage(packageFolder);
process.on("message", async (path) => {
  const report = await judgeFile(kinestitch, path, { animations: Number(animations) }).catch((error) => ({
    verdict: "crashed",
    checks: 1,
    failures: [`the judge failed: ${String(error?.stack ?? error).slice(0, 300)}`],
  }));
  process.send(report);
});
// Readers may leave timers and rejections behind; a file must not end the process of the next one.
process.on("unhandledRejection", () => {});
