/**
 * Entry point `kinestitch/networks` in Node. It is empty, because the other entry points register the networks in Node.
 * @module
 */
export {};
