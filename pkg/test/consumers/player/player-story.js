// Plays a motion in the page's first player: on the figure, on a GLB character, on an FBX character.
const player = document.querySelector("kinestitch-player");

/** Resolves with the duration once the player has loaded; rejects with its error. */
function loaded() {
  return new Promise((resolve, reject) => {
    player.addEventListener("load", () => resolve(player.duration.toFixed(2)), { once: true });
    player.addEventListener("error", ({ detail }) => reject(detail), { once: true });
  });
}

async function onCharacter(file) {
  const ready = loaded();
  player.setAttribute("character", file);
  return ready;
}

const modules = () => performance.getEntriesByType("resource").filter(({ name }) => /\.wasm(\?|$)/.test(name)).length;

/** Durations of the motion on each body, whether the player plays, and wasm modules that this thread has fetched. */
export async function played() {
  const figure = await loaded();
  const before = player.frame;
  await new Promise((resolve) => player.addEventListener("timeupdate", () => player.frame !== before && resolve()));
  const found = { figure, paused: player.paused, modules: [modules()] };
  found.glb = await onCharacter("hero.glb");
  found.fbx = await onCharacter("hero.fbx");
  found.modules.push(modules());
  return found;
}

/** Leaves the result, or the error as text, to the test. */
export const report = (work) =>
  work.then(
    (result) => (window.report = result),
    (error) => (window.report = `${error?.stack ?? error} ${error?.cause ?? ""}`),
  );
