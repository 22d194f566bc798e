/** Types of the decoders' files. */

declare module "draco3dgltf/draco_decoder_gltf.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}

declare module "draco3dgltf/draco_decoder_gltf_nodejs.js" {
  const createDecoderModule: (options: object) => Promise<unknown>;
  export default createDecoderModule;
}
