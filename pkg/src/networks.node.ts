/**
 * Entry points `kinestitch/networks` and `kinestitch/networks/*` in Node. The module is empty, because in Node
 * `kinestitch` and `kinestitch/worker` find the networks without it.
 * @module
 */
export {};
