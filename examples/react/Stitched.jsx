import { load, stitch } from "kinestitch/worker";
import "kinestitch-player";
import { useEffect, useState } from "react";

/** Stitches two files and plays the result. Changing the properties or unmounting the component cancels the work. */
export function Stitched({ first, second }) {
  const [source, setSource] = useState();
  const [status, setStatus] = useState("Stitching…");
  useEffect(() => {
    const abortController = new AbortController();
    let url;
    async function stitchFiles(signal) {
      setSource(undefined);
      setStatus("Stitching…");
      const clips = await Promise.all([load(first, { signal }), load(second, { signal })]);
      const motion = await stitch(clips, { signal });
      url = URL.createObjectURL(new Blob([await motion.toBvh({ signal })]));
      setSource(url);
      // If frames were inserted between the clips, `gapMethod` joined the clips instead of `method`.
      const [{ method, gapMethod }] = motion.seams;
      setStatus(`${motion.frames} frames, joined by ${gapMethod ?? method}`);
    }
    stitchFiles(abortController.signal).catch((error) => error.code !== "aborted" && setStatus(error.message));
    return () => {
      abortController.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [first, second]);
  return (
    <>
      {source && <kinestitch-player src={source} autoplay loop controls label="The stitched motion" />}
      <p role="status">{status}</p>
    </>
  );
}
