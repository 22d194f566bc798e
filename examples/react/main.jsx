import { createRoot } from "react-dom/client";
import { Stitched } from "./Stitched.jsx";

createRoot(document.getElementById("root")).render(
  <>
    <h1>A walk and a run, stitched</h1>
    <Stitched first="walk.bvh" second="run.bvh" />
  </>,
);
