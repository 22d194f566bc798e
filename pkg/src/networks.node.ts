/**
 * Entry `kinestitch/networks` in Node, where the other entries know the location of networks.
 * @module
 */
export {};
