// A component under StrictMode. In a development build its effects run twice, so the first stitch is aborted.
import { load, stitch } from "kinestitch/worker";
import "kinestitch-player";
import { StrictMode, useEffect, useState, version } from "react";
import { createRoot } from "react-dom/client";

const seen = { version, effects: 0, aborted: 0 };

function Stitched() {
  const [motion, setMotion] = useState();
  useEffect(() => {
    seen.effects += 1;
    const { signal, abort } = controller();
    Promise.all(["a.bvh", "b.bvh"].map((file) => load(file, { signal })))
      .then((clips) => stitch(clips, { signal, method: "inertialize" }))
      .then(async (made) => {
        const url = URL.createObjectURL(new Blob([await made.toBvh()]));
        setMotion({ frames: made.frames, url });
      })
      .catch((error) => {
        if (error.code === "aborted") seen.aborted += 1;
        else window.report = String(error.stack);
      });
    return abort;
  }, []);
  return motion ? <Player {...motion} /> : <p>Stitching…</p>;
}

function Player({ frames, url }) {
  const loaded = ({ target }) => {
    window.report = { ...seen, frames, seconds: target.duration.toFixed(2) };
  };
  return <kinestitch-player src={url} ref={(player) => player?.addEventListener("load", loaded)} />;
}

function controller() {
  const made = new AbortController();
  return { signal: made.signal, abort: () => made.abort() };
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <Stitched />
  </StrictMode>,
);
