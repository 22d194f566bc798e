/**
 * Entry point `kinestitch/write-fbx` in Node.
 * @module
 */
import { readBytes } from "./core/node-read.js";
import { provideFbx } from "./write-fbx/module.js";

/** Returns the URL of a file of the package, in a form that bundlers do not recognise. */
const installedFile = (path: string, moduleUrl = import.meta.url): URL => new URL(path, moduleUrl);

provideFbx((override) => readBytes(override ?? installedFile("../wasm/kinestitch_fbx_bg.wasm")));

export { type FbxOptions, toFbx } from "./write-fbx/to-fbx.js";
