// What webpack turns into something else: styles into a file of their own, assets into an address.
/** Bytes of the WebGPU module; 0 where it is not built. */
declare const NETWORK_MODULE_BYTES: number;
/** Compressed bytes of the module of in-betweening and of networks on the CPU. */
declare const LIVE_MODULE_BYTES: number;
declare module "*.css";
declare module "*.bvh" {
  const url: string;
  export default url;
}
