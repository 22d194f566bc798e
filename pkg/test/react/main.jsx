// A character in react-three-fiber by the hook: it walks, then runs, then is removed. Clips by name.
import { Canvas } from "@react-three/fiber";
import { load, stitch } from "kinestitch/worker";
import { useTransitions } from "kinestitch/react";
import { toAnimationClip } from "kinestitch/three";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { character } from "../rigs.mjs";

const { model } = character("mixamo");
const animations = [];
for (const name of ["walk", "run"]) animations.push(await toAnimationClip(await load(`${name}.bvh`), model, { name }));
window.travelled = 0;

function Hero({ gait }) {
  const { transitions, actions, names, ready, transitionTo } = useTransitions(model, {
    animations,
    load,
    stitch,
    ahead: 1,
    onRootMotion: ({ position }) => (window.travelled += position.length()),
  });
  useEffect(() => {
    window.transitions = transitions;
    window.names = Object.keys(actions).length > 0 ? names : [];
    if (ready) transitionTo(gait, { within: 1, arriveWithin: 3 });
  }, [ready, gait, transitions, actions, names, transitionTo]);
  return <primitive object={model} />;
}

function App() {
  const [gait, setGait] = useState("walk");
  window.setGait = setGait;
  return <Canvas>{gait && <Hero gait={gait} />}</Canvas>;
}

window.model = model;
createRoot(document.getElementById("root")).render(<App />);
