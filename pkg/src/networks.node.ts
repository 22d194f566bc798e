/**
 * Entry `kinestitch/networks` in Node. There, the other entries already know the location of networks.
 * @module
 */
export {};
