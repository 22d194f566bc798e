import "kinestitch/player";
import { report } from "./story.js";

const player = document.querySelector("kinestitch-player");

async function shown() {
  await new Promise((resolve, reject) => {
    player.addEventListener("load", resolve);
    player.addEventListener("error", ({ detail }) => reject(detail));
  });
  const before = player.frame;
  await new Promise((resolve) => player.addEventListener("timeupdate", () => player.frame !== before && resolve()));
  return { seconds: player.duration.toFixed(2), paused: player.paused };
}

report(shown());
