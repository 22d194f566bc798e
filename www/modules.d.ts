// What webpack turns into something else: styles into a file of their own, assets into an address.
declare module "*.css";
declare module "*.bvh" {
  const url: string;
  export default url;
}
