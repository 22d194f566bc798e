// A component under StrictMode. In a development build its effects run twice, so the first stitch is aborted.
import { load, stitch } from "kinestitch/worker";
import "kinestitch-player";
import { StrictMode, useEffect, useState, version } from "react";
import { createRoot } from "react-dom/client";

const counts = { version, effects: 0, aborted: 0 };

function Stitched() {
  const [motion, setMotion] = useState();
  useEffect(() => {
    counts.effects += 1;
    const { signal, abort } = createAbort();
    Promise.all(["a.bvh", "b.bvh"].map((file) => load(file, { signal })))
      .then((clips) => stitch(clips, { signal, method: "inertialize" }))
      .then(async (result) => {
        const url = URL.createObjectURL(new Blob([await result.toBvh()]));
        setMotion({ frames: result.frames, url });
      })
      .catch((error) => {
        if (error.code === "aborted") counts.aborted += 1;
        else window.report = String(error.stack);
      });
    return abort;
  }, []);
  return motion ? <Player {...motion} /> : <p>Stitching…</p>;
}

function Player({ frames, url }) {
  const onLoad = ({ target }) => {
    window.report = { ...counts, frames, seconds: target.duration.toFixed(2) };
  };
  return <kinestitch-player src={url} ref={(player) => player?.addEventListener("load", onLoad)} />;
}

function createAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <Stitched />
  </StrictMode>,
);
