/** Start of the worker for FBX files, written out for bundlers; the package kinestitch-player has its own. */
export const startFbx = (): Worker =>
  new Worker(new URL("./fbx-worker.ts", import.meta.url), { type: "module", name: "fbx" });
