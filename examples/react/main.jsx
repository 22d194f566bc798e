import { createRoot } from "react-dom/client";
import { Stitched } from "./Stitched.jsx";

createRoot(document.getElementById("root")).render(<Stitched from="walk.bvh" to="run.bvh" />);
