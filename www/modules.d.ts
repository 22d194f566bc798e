// Constants that webpack defines, and modules that it transforms: styles to files, assets to URLs.
/** Compressed size of the WebAssembly module with networks on WebGPU, bytes; 0 if it is not built. */
declare const NETWORK_MODULE_BYTES: number;
declare module "*.css";
declare module "*.bvh" {
  const url: string;
  export default url;
}
