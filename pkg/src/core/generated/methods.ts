/** Made from the crate by lab/tests/generated.rs: change nothing here. */

/** Names of the methods that fill a gap between keys. */
export const inbetweenMethods = ["linear", "hermite", "inertialize", "manifold", "delta", "dcmoe"] as const;
/** Name of a gap filler. */
export type InbetweenMethodName = (typeof inbetweenMethods)[number];

/** Those of them that are networks. */
export const networkMethods = ["manifold", "delta", "dcmoe"] as const;
/** Name of a gap filler that is a network. */
export type NetworkMethodName = (typeof networkMethods)[number];

/** Those of the networks that a GPU can run, for a whole gap at once. */
export const gpuMethods: readonly NetworkMethodName[] = ["delta"];

/** The network where networks are wanted and none is named. */
export const usualNetwork = "delta" satisfies NetworkMethodName;

/** The method where none is named and no network is loaded. */
export const usualMethod = "inertialize" satisfies InbetweenMethodName;

/** Options of each method; what is null or left out is its default. */
export interface InbetweenMethodOptions {
  /** Each joint rotates at constant speed from key to key. The speed jumps at the keys. */
  linear: {};
  /** A smooth curve from key to key, with the speeds of the keys at both ends. */
  hermite: { 
/**
 * 0 keeps the velocities of the keys, 1 stops at them.
 */
tension: number, };
  /** Interpolation that continues with the speeds of the keys, which fade out. */
  inertialize: {};
  /** A network that makes frame after frame, in several variants: three of them side by side. Human bodies only. */
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
  /** A network trained on recordings corrects the interpolation. Human bodies only. */
  delta: {};
  /** A network that follows a path: several motions to choose from. Human bodies only. */
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

/** A method for people: its name in a menu, what it does, and of a network what kind of network it is. */
export interface MethodText {
  /** Name in a menu. */
  label: string;
  /** What it does, in one sentence. */
  hint: string;
  /** Kind of network; empty where it is none. */
  about: string;
}

/** Their names and descriptions for people. */
export const methodTexts: { readonly [Name in InbetweenMethodName]: MethodText } = {
  linear: { label: "Interpolation", hint: "Each joint rotates at constant speed from key to key. The speed jumps at the keys.", about: "" },
  hermite: { label: "Spline", hint: "A smooth curve from key to key, with the speeds of the keys at both ends.", about: "" },
  inertialize: { label: "Momentum", hint: "Interpolation that continues with the speeds of the keys, which fade out.", about: "" },
  manifold: { label: "Many ways", hint: "A network that makes frame after frame, in several variants: three of them side by side. Human bodies only.", about: "A sampler that moves, frame by frame, on a manifold of leg motion" },
  delta: { label: "Network", hint: "A network trained on recordings corrects the interpolation. Human bodies only.", about: "A transformer that predicts the difference of human motion from plain interpolation" },
  dcmoe: { label: "Along a path", hint: "A network that follows a path: several motions to choose from. Human bodies only.", about: "A mixture of experts that follows a path frame by frame, with a gallery of recorded paths" },
};

/** Their defaults. */
export const methodDefaults: { readonly [Name in InbetweenMethodName]: object } = {
  linear: {},
  hermite: {"tension":0.0},
  inertialize: {},
  manifold: {"latent":[],"seed":null},
  delta: {},
  dcmoe: {"path":null,"style":null},
};
