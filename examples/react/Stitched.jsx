import { load, stitch } from "kinestitch/worker";
import "kinestitch-player";
import { useEffect, useState } from "react";

/** Stitches two files and plays the result. Changing the properties or unmounting the component cancels the work. */
export function Stitched({ from, to }) {
  const [source, setSource] = useState();
  const [status, setStatus] = useState("Stitching…");
  useEffect(() => {
    const controller = new AbortController();
    let url;
    async function stitchFiles({ signal }) {
      setStatus("Stitching…");
      const clips = await Promise.all([load(from, { signal }), load(to, { signal })]);
      const motion = await stitch(clips, { signal });
      url = URL.createObjectURL(new Blob([await motion.toBvh({ signal })]));
      setSource(url);
      // Frames inserted between the clips, made by `gapMethod`, replace the join by `method`.
      const [{ method, gapMethod }] = motion.seams;
      setStatus(`${motion.frames} frames, joined by ${gapMethod ?? method}`);
    }
    stitchFiles(controller).catch((error) => error.code !== "aborted" && setStatus(error.message));
    return () => {
      controller.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [from, to]);
  return (
    <>
      <h1>A walk and a run, stitched</h1>
      {source && <kinestitch-player src={source} autoplay loop controls label="The stitched motion" />}
      <p role="status">{status}</p>
    </>
  );
}
