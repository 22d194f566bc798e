/** What runs on the page's own thread, frame by frame: fetched when a mode first needs it. */
import type { Controller, ControllerOptions, InbetweenKey, InbetweenOptions, LiveInbetween } from "kinestitch";
import type { WorkerClip } from "./engine";

const models = (): URL => new URL("models/", document.baseURI);

/** Keys that are dragged. `set`: the network's, where the method is one; its weights are in this browser already. */
export async function liveInbetween(
  keys: InbetweenKey<WorkerClip>[],
  options: InbetweenOptions,
  set: string | undefined,
): Promise<LiveInbetween> {
  const kinestitch = await import("kinestitch");
  if (options.method === "delta" || options.method === "manifold" || options.method === "dcmoe") {
    await kinestitch.loadNetworks({
      for: "inbetween",
      name: options.method,
      device: "cpu",
      models: models(),
      ...(set && { set }),
    });
  }
  return kinestitch.liveInbetween(keys, options);
}

/** A character that is steered; its network is fetched first. */
export async function createController(options: ControllerOptions): Promise<Controller> {
  const kinestitch = await import("kinestitch");
  await kinestitch.init({ networks: { models: models() } });
  return kinestitch.createController(options);
}
