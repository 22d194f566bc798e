/**
 * Starts the worker for FBX files of the package `kinestitch-player`. scripts/bundles.mjs replaces
 * www/viewer/fbx-start.ts by this module. The worker script is one file, which bundlers of apps copy unchanged.
 */
import { packageUrl } from "../../pkg/dist/core/package-url.js";
import { moduleWorker } from "../../pkg/dist/worker/web.js";

/** URL of the worker script relative to the bundle, which scripts/bundles.mjs replaces by a string. */
declare const FBX_WORKER: string;

/** Starts the worker, also from another origin and in Vite's development server. */
export const startFbx = (): Worker =>
  moduleWorker(packageUrl(new URL(FBX_WORKER, import.meta.url), "kinestitch-player").href, "fbx");
