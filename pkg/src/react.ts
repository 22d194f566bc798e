/**
 * Entry point `kinestitch/react`: transitions of a model in react-three-fiber. The app provides React, three.js and
 * react-three-fiber.
 * @module kinestitch/react
 */
import { useFrame } from "@react-three/fiber";
import { useEffect, useState } from "react";
import type { AnimationMixer, Object3D } from "three";
import { createTransitions, type Transitions, type TransitionsOptions } from "./three.js";

/**
 * Creates transitions for a model, updates them in every frame, and disposes of them when the component is removed.
 *
 * @param of The model or its mixer; `undefined` or `null` while it is loaded.
 * @param options See {@link TransitionsOptions}; read when `of` changes.
 * @returns The transitions; `undefined` in the first render with a model, and while there is no model.
 * @example
 * ```jsx
 * import { useTransitions } from "kinestitch/react";
 * import { load, stitch } from "kinestitch/worker";
 *
 * function Hero({ gait }) {
 *   const { scene, animations } = useGLTF("hero.glb");
 *   const transitions = useTransitions(scene, { load, stitch });
 *   useEffect(() => {
 *     transitions?.transitionTo(animations.find(({ name }) => name === gait));
 *   }, [transitions, gait]);
 *   return <primitive object={scene} />;
 * }
 * ```
 */
export function useTransitions(
  of: AnimationMixer | Object3D | null | undefined,
  options?: TransitionsOptions,
): Transitions | undefined {
  const [latest, setLatest] = useState<{ of: AnimationMixer | Object3D; transitions: Transitions }>();
  // In the first render with another model, the state still has the transitions of the previous model.
  const transitions = latest?.of === of ? latest?.transitions : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: options are usually a new object in each render
  useEffect(() => {
    if (!of) return;
    const created = createTransitions(of, options);
    setLatest({ of, transitions: created });
    return () => {
      setLatest(undefined);
      created.dispose();
    };
  }, [of]);
  useFrame((_, delta) => {
    transitions?.update(delta);
  });
  return transitions;
}
