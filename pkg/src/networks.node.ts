/**
 * Entry `kinestitch/networks` in Node, where the other entries know where networks lie.
 * @module
 */
export {};
