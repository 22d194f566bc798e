/** Functions on the page's own thread, evaluated per frame; loaded when a mode first needs them. */
import type { Controller, ControllerOptions, InbetweenKey, InbetweenOptions, LiveInbetween } from "kinestitch";
import type { WorkerClip } from "./engine";
import { shippedFor } from "./networks";

const modelsUrl = (): URL => new URL("models/", document.baseURI);

/**
 * Keys for dragging. `set`: training data of the network, if the method is one; its weights are already in this
 * browser.
 */
export async function liveInbetween(
  keys: InbetweenKey<WorkerClip>[],
  options: InbetweenOptions,
  set: string | undefined,
): Promise<LiveInbetween> {
  const kinestitch = await import("kinestitch");
  const name = typeof options.method === "object" ? options.method.name : options.method;
  if (name !== undefined && shippedFor("inbetween", name).length > 0) {
    await kinestitch.loadNetworks({ for: "inbetween", name, device: "cpu", models: modelsUrl(), ...(set && { set }) });
  }
  return kinestitch.liveInbetween(keys, options);
}

/** An interactively controlled character; its network is loaded first. */
export async function createController(options: ControllerOptions): Promise<Controller> {
  const kinestitch = await import("kinestitch");
  await kinestitch.init({ networks: { models: modelsUrl() } });
  return kinestitch.createController(options);
}
