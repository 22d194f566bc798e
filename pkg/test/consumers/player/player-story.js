// Plays a motion in the page's first player: on the figure, on a GLB character, on an FBX character.
const player = document.querySelector("kinestitch-player");

/** Resolves with the duration once the player has loaded; rejects with its error. */
function waitForLoad() {
  return new Promise((resolve, reject) => {
    player.addEventListener("load", () => resolve(player.duration.toFixed(2)), { once: true });
    player.addEventListener("error", ({ detail }) => reject(detail), { once: true });
  });
}

async function setCharacter(file) {
  const loading = waitForLoad();
  player.setAttribute("character", file);
  return loading;
}

const moduleCount = () =>
  performance.getEntriesByType("resource").filter(({ name }) => /\.wasm(\?|$)/.test(name)).length;

/**
 * Plays the motion. Returns its duration on each body, whether the player is paused, and the numbers of wasm modules
 * that this thread has fetched.
 */
export async function playOnBodies() {
  const figure = await waitForLoad();
  const startFrame = player.frame;
  await new Promise((resolve) => player.addEventListener("timeupdate", () => player.frame !== startFrame && resolve()));
  const result = { figure, paused: player.paused, modules: [moduleCount()] };
  result.glb = await setCharacter("hero.glb");
  result.fbx = await setCharacter("hero.fbx");
  result.modules.push(moduleCount());
  return result;
}

/** Leaves the result, or the error as text, to the test. */
export const report = (work) =>
  work.then(
    (result) => (window.report = result),
    (error) => (window.report = `${error?.stack ?? error} ${error?.cause ?? ""}`),
  );
