/** What reads glTF's accessors. `npm run build` bundles the library into this file, so that the package depends on nothing. */
export { type Accessor, type AnimationChannel, type Document, type Node, WebIO } from "@gltf-transform/core";
