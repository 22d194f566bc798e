/** Starts the worker for FBX files. The package kinestitch-player replaces this file, which needs a bundler. */
export const startFbx = (): Worker =>
  new Worker(new URL("./fbx-worker.ts", import.meta.url), { type: "module", name: "fbx" });
