/**
 * Entry point `kinestitch` in browsers, with a bundler or as plain ES modules. Computes on the calling thread;
 * `kinestitch/worker` has the same functions, computed in a worker.
 * @module kinestitch
 */
import "./browser-platform.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { load } from "./tasks/load.js";

// Not in browser-platform.ts, which the worker script imports: some bundlers write a worker script as a single file,
// which cannot load the reader later.
provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load });

export * from "./exports.js";
