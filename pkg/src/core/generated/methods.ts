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
 * 0 keeps the speeds of the keys, 1 stops at them.
 */
tension: number, };
  inertialize: {};
  manifold: { 
/**
 * Each seed another motion; none its mean.
 */
seed: number | null, 
/**
 * Where on its manifold of motions it goes: added to the latent variable's components, in deviations, in the middle of
 * each gap, and less towards its ends. Those left out count as 0; beyond ±4.5 nothing changes.
 */
latent: readonly number[], };
  delta: {};
  dcmoe: { 
/**
 * One of the network's styles; none goes on as the keys do.
 */
style: string | null, 
/**
 * Points on the ground, x and z, metres, passed at equal intervals of time on a smooth curve between two keys; the ends are
 * drawn onto the keys. Without a path it finds its own.
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
