/**
 * The reader of glTF accessors. `npm run build` bundles the library into this file, so that the package has no
 * dependencies.
 */
export { type Accessor, type AnimationChannel, type Document, type Node, WebIO } from "@gltf-transform/core";
