/**
 * Entry point `kinestitch/write-fbx`: writes motions as FBX files. Its wasm module is fetched when the first file is written.
 * @module kinestitch/write-fbx
 */
import { packageUrl } from "./core/package-url.js";
import { provideFbx } from "./write-fbx/module.js";

// Bundlers find the wasm file only by a literal `new URL("…", import.meta.url)`.
provideFbx((override) => override ?? packageUrl(new URL("../wasm/kinestitch_fbx_bg.wasm", import.meta.url)));

export { type FbxOptions, toFbx } from "./write-fbx/to-fbx.js";
