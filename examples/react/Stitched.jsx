import { load, stitch } from "kinestitch/worker";
import "kinestitch-player";
import { useEffect, useState } from "react";

/** Stitches two files, and plays the result. A change of its properties, or leaving the page, cancels the work. */
export function Stitched({ from, to }) {
  const [address, setAddress] = useState();
  const [status, setStatus] = useState("Stitching…");
  useEffect(() => {
    const controller = new AbortController();
    let made;
    async function work({ signal }) {
      const clips = await Promise.all([load(from, { signal }), load(to, { signal })]);
      const motion = await stitch(clips, { signal });
      made = URL.createObjectURL(new Blob([await motion.toBvh({ signal })]));
      setAddress(made);
      setStatus(`${motion.frames} frames, joined by ${motion.seams[0].method}`);
    }
    work(controller).catch((error) => error.code !== "aborted" && setStatus(error.message));
    return () => {
      controller.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [from, to]);
  return (
    <>
      <h1>A walk and a run, stitched</h1>
      {address && <kinestitch-player src={address} autoplay loop controls label="The stitched motion" />}
      <p role="status">{status}</p>
    </>
  );
}
