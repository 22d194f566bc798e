/**
 * Functions of the package on the page's own thread, for interaction in every frame. The package's code for this thread
 * is loaded when a mode first needs it.
 */
import type { Controller, ControllerOptions, InbetweenKey, InbetweenOptions, LiveInbetween } from "kinestitch";
import { shippedFor } from "./networks";

const modelsUrl = (): URL => new URL("models/", document.baseURI);

/**
 * Creates an in-betweening session for dragging keys. If the method is a network, loads it first;
 * `set`: its training data ("open" or "research").
 */
export async function liveInbetween(
  keys: InbetweenKey[],
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

/** Loads the controller's network, and creates a character that the user steers. */
export async function createController(options: ControllerOptions): Promise<Controller> {
  const kinestitch = await import("kinestitch");
  await kinestitch.init({ networks: { models: modelsUrl() } });
  return kinestitch.createController(options);
}
