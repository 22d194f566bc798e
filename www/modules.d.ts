// Modules that webpack transforms: styles to files, assets to URLs.
/** Size of the WebGPU module, bytes; 0 where it is not built. */
declare const NETWORK_MODULE_BYTES: number;
/** Compressed bytes of the module of in-betweening and of networks on the CPU. */
declare const LIVE_MODULE_BYTES: number;
declare module "*.css";
declare module "*.bvh" {
  const url: string;
  export default url;
}
