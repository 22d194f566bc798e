/** Put in by scripts/bundles.mjs: a wasm module, compressed, as base64. */
declare module "wasm:kinestitch" {
  const base64: string;
  export default base64;
}
