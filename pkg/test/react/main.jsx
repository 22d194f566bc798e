// A character in react-three-fiber by the hook: it walks, then runs, then is removed.
import { Canvas } from "@react-three/fiber";
import { load } from "kinestitch";
import { useTransitions } from "kinestitch/react";
import { toAnimationClip } from "kinestitch/three";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { character } from "../rigs.mjs";

const { model } = character("mixamo");
const clips = {};
for (const name of ["walk", "run"]) clips[name] = await toAnimationClip(await load(`${name}.bvh`), model, { name });

function Hero({ gait }) {
  const transitions = useTransitions(model);
  useEffect(() => {
    transitions?.transitionTo(clips[gait]);
    window.transitions = transitions;
  }, [transitions, gait]);
  return <primitive object={model} />;
}

function App() {
  const [gait, setGait] = useState("walk");
  window.setGait = setGait;
  return <Canvas>{gait && <Hero gait={gait} />}</Canvas>;
}

window.model = model;
createRoot(document.getElementById("root")).render(<App />);
