/**
 * Starts the worker for FBX files of the package, which is one file; scripts/bundles.mjs puts this module in place of
 * www/viewer/fbx-start.ts. Bundlers copy the worker's file unchanged.
 */
import { packageUrl } from "../../pkg/dist/core/package-url.js";
import { moduleWorker } from "../../pkg/dist/worker/web.js";

/** Address of the script relative to the bundle, as a literal of scripts/bundles.mjs. */
declare const FBX_WORKER: string;

/** Starts it, from another origin and in Vite's development server too. */
export const startFbx = (): Worker =>
  moduleWorker(packageUrl(new URL(FBX_WORKER, import.meta.url), "kinestitch-player").href, "fbx");
