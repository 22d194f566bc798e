/** Made from the crate by lab/tests/generated.rs: change nothing here. */

/** Names of the methods that fill a gap between keys. */
export const inbetweenMethods = ["linear", "hermite", "inertialize", "manifold", "delta", "dcmoe"] as const;
export type InbetweenMethodName = (typeof inbetweenMethods)[number];

/** Those of them that are networks. */
export const networkMethods = ["manifold", "delta", "dcmoe"] as const;
export type NetworkMethodName = (typeof networkMethods)[number];

/** The method where none is named and no network is loaded. */
export const usualMethod = "inertialize" satisfies InbetweenMethodName;

/** Options of each method; what is null or left out is its default. */
export interface InbetweenMethodOptions {
  linear: {};
  hermite: { 
/**
 * 0 keeps the velocities of the keys, 1 stops at them.
 */
tension: number, };
  inertialize: {};
  manifold: { 
/**
 * Different seeds give different motions; omitted, the mean motion.
 */
seed: number | null, 
/**
 * Offset on the manifold of motions: added to the components of the latent variable, in deviations, in full in
 * the middle of each gap and less towards its ends. Missing components are 0; beyond ±4.5 nothing changes.
 */
latent: readonly number[], };
  delta: {};
  dcmoe: { 
/**
 * Name of a style of the network; omitted, the style of the keys continues.
 */
style: string | null, 
/**
 * Points on the ground, x and z, metres, at equal intervals of time on a smooth curve between two keys; its ends
 * are moved to the keys. Without a path, the network chooses its own.
 */
path: readonly (readonly [x: number, z: number])[] | null, };
}

/** Their defaults. */
export const methodDefaults: { readonly [Name in InbetweenMethodName]: object } = {
  linear: {},
  hermite: {"tension":0.0},
  inertialize: {},
  manifold: {"latent":[],"seed":null},
  delta: {},
  dcmoe: {"path":null,"style":null},
};
