/** Starts the worker for FBX files. This file needs a bundler; the package kinestitch-player replaces it. */
export const startFbx = (): Worker =>
  new Worker(new URL("./fbx-worker.ts", import.meta.url), { type: "module", name: "fbx" });
