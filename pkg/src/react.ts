/**
 * Entry point `kinestitch/react`: transitions of a model in react-three-fiber. The app provides React, three.js and
 * react-three-fiber.
 * @module kinestitch/react
 */
import { useFrame } from "@react-three/fiber";
import { useEffect, useMemo, useRef, useState } from "react";
import type { AnimationAction, AnimationClip, AnimationMixer, Object3D } from "three";
import {
  createTransitions,
  type RootMotionDelta,
  type Target,
  type Transition,
  type TransitionOptions,
  type Transitions,
  type TransitionsOptions,
} from "./three.js";

/** Options of {@link useTransitions}. */
export interface UseTransitionsOptions extends TransitionsOptions {
  /** The animations of the model, which are prepared. */
  animations?: readonly AnimationClip[];
  /** Also computes transitions between all animations in advance, see {@link Transitions.prepare}; needs `stitch`. */
  ahead?: number;
  /** Receives the root motion of each frame, after the model was advanced. */
  onRootMotion?: (rootMotion: RootMotionDelta) => void;
  /** Receives an error of the preparation; by default, it is thrown in the next render. */
  onError?: (error: unknown) => void;
}

/** Result of {@link useTransitions}. */
export interface UsedTransitions {
  /** The transitions; `undefined` in the first render with a model, and while there is no model. */
  transitions: Transitions | undefined;
  /** Actions of the mixer by the names of the animations; empty while there are no transitions. */
  actions: Record<string, AnimationAction>;
  /** Names of the animations. */
  names: string[];
  /** Whether all animations are prepared. Transitions before that use inertialization. */
  ready: boolean;
  /** Prepares more clips, see {@link Transitions.prepare}; does nothing while there is no model. */
  prepare: Transitions["prepare"];
  /**
   * Starts a transition, see {@link Transitions.transitionTo}, also by the name of an animation; does nothing while there
   * is no model.
   *
   * @throws {Error} For a name that is not one of `names`.
   */
  transitionTo: (next: Target | string, options?: TransitionOptions) => Transition | undefined;
}

/**
 * Creates transitions for a model, prepares its animations, updates the model in every frame, and disposes of the
 * transitions when the component is removed.
 *
 * @param of The model or its mixer; `undefined` or `null` while it is loaded.
 * @param options Options of `createTransitions`, the animations and callbacks; all but the callbacks are read when `of`
 * changes.
 * @example
 * ```jsx
 * import { useTransitions } from "kinestitch/react";
 * import { load, stitch } from "kinestitch/worker";
 *
 * function Hero({ gait }) {
 *   const { scene, animations } = useGLTF("hero.glb");
 *   const { ready, transitionTo } = useTransitions(scene, { animations, load, stitch, ahead: 0.2 });
 *   useEffect(() => {
 *     if (ready) transitionTo(gait); // the name of an animation
 *   }, [ready, gait]);
 *   return <primitive object={scene} />;
 * }
 * ```
 */
export function useTransitions(
  of: AnimationMixer | Object3D | null | undefined,
  options: UseTransitionsOptions = {},
): UsedTransitions {
  const { animations = [], ahead, onRootMotion, onError, ...creation } = options;
  const [latest, setLatest] = useState<{ of: object; transitions: Transitions; ready: boolean }>();
  const [failure, setFailure] = useState<{ error: unknown }>();
  const callbacks = useRef({ onRootMotion, onError });
  callbacks.current = { onRootMotion, onError };
  // In the first render with another model, the state still has the transitions of the previous model.
  const current = latest?.of === of ? latest : undefined;
  const transitions = current?.transitions;
  // biome-ignore lint/correctness/useExhaustiveDependencies: options are usually a new object in each render
  useEffect(() => {
    if (!of) return;
    const created = createTransitions(of, creation);
    const set = (ready: boolean): void => setLatest({ of, transitions: created, ready });
    set(false);
    let isRemoved = false;
    created.prepare(animations, ahead === undefined ? {} : { ahead }).then(
      () => isRemoved || set(true),
      (error: unknown) => {
        if (isRemoved) return;
        if (callbacks.current.onError) callbacks.current.onError(error);
        else setFailure({ error });
      },
    );
    return () => {
      isRemoved = true;
      setLatest(undefined);
      created.dispose();
    };
  }, [of]);
  useFrame((_, delta) => {
    const rootMotion = transitions?.update(delta);
    if (rootMotion) callbacks.current.onRootMotion?.(rootMotion);
  });
  if (failure) throw failure.error;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the animations belong to the model
  return useMemo(() => {
    const byName = new Map(animations.map((clip) => [clip.name, clip]));
    return {
      transitions,
      actions: Object.fromEntries(
        transitions ? animations.map((clip) => [clip.name, transitions.mixer.clipAction(clip)]) : [],
      ),
      names: [...byName.keys()],
      ready: current?.ready === true,
      prepare: async (...args) => transitions?.prepare(...args),
      transitionTo(next, transitionOptions) {
        const target = typeof next === "string" ? byName.get(next) : next;
        if (!target)
          throw new Error(`"${String(next)}" is not the name of an animation: ${[...byName.keys()].join(", ")}`);
        return transitions?.transitionTo(target, transitionOptions);
      },
    };
  }, [current]);
}
