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
export const defaultNetwork = "delta" satisfies NetworkMethodName;

/** The method where none is named and no network is loaded. */
export const defaultMethod = "inertialize" satisfies InbetweenMethodName;

/** Options of each method; what is null or left out is its default. */
export interface InbetweenMethodOptions {
  /** Each joint rotates at constant speed from key to key. The speed jumps at the keys. */
  linear: {};
  /** A smooth curve from key to key that starts and ends with the speeds of the keys. */
  hermite: { 
/**
 * 0 keeps the velocities of the keys, 1 stops at them.
 */
tension: number, };
  /** Interpolation that starts and ends with the speeds of the keys. */
  inertialize: {};
  /** A network that generates the motion frame by frame. Shows three variants side by side. Human bodies only. */
  manifold: { 
/**
 * Seed: different seeds give different motions. If omitted, the result is the mean motion.
 */
seed: number | null, 
/**
 * Offset of the latent variable, in standard deviations: moves the result on the manifold of motions. It acts in
 * full in the middle of each gap and less towards both ends. Missing components are 0; the latent variable is
 * clamped to ±4.5.
 */
latent: readonly number[], };
  /** A network trained on recordings corrects the interpolation. Human bodies only. */
  delta: {};
  /** A network that follows a path: several motions to choose from. Human bodies only. */
  dcmoe: { 
/**
 * Name of a style of the network. If omitted, the style of the keys continues.
 */
style: string | null, 
/**
 * Points on the ground (x, z), metres, at equal time intervals on a smooth curve between two keys. The ends of the
 * curve are moved to the keys. If omitted, the network chooses a path.
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
  hermite: { label: "Spline", hint: "A smooth curve from key to key that starts and ends with the speeds of the keys.", about: "" },
  inertialize: { label: "Inertialization", hint: "Interpolation that starts and ends with the speeds of the keys.", about: "" },
  manifold: { label: "Variants", hint: "A network that generates the motion frame by frame. Shows three variants side by side. Human bodies only.", about: "A sampler that moves, frame by frame, on a manifold of leg motion" },
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
