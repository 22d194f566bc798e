/**
 * The reader of glTF accessors. `npm run build` bundles the library into dist/gltf/library.js, so that users need not
 * install it.
 */
export { type Accessor, type AnimationChannel, type Document, type Node, WebIO } from "@gltf-transform/core";
