/** A compressed wasm module as base64, which scripts/bundles.mjs inserts. */
declare module "wasm:kinestitch" {
  const base64: string;
  export default base64;
}
