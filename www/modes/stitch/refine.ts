/** Choice of the method, and requirements of the network: loading, bipeds only, its draft for comparison. */
import type { Method } from "kinestitch/worker";
import { sentence } from "../../core/engine";
import type { NetworkChoice } from "../../core/networks";
import type { Settings } from "../../core/settings";
import { methodName } from "./methods";
import type { Stitch } from "./stitch";

const choiceOf = ({ app: { settings } }: Stitch): NetworkChoice => ({
  device: settings.device,
  set: settings.networkSet,
});

/** Whether every clip is of a biped, as the network requires. */
export function areBipeds(mode: Stitch): boolean {
  return mode.project.items.every((item) => {
    const source = mode.sourceOf(item);
    const info = mode.project.rigs[item.source] ? source?.mapped?.info : source?.info;
    return !info || info.kind === "biped";
  });
}

/** The effective method: inertialization if the network cannot be applied, and until "auto" is ready. */
export function methodInForce(mode: Stitch): Method {
  const { method } = mode.project;
  if (method === "auto") return mode.app.auto.isReady ? "auto" : "inertialize";
  return method === "rmr" && !(mode.app.networks.info && areBipeds(mode)) ? "inertialize" : method;
}

/** The method to compare with. Refined or automatic results are always compared with the plain one before. */
export function comparedMethod(mode: Stitch): Method | undefined {
  const method = methodInForce(mode);
  const other =
    mode.app.settings.compare !== "off" ? mode.project.compare : hasBefore(method) ? "inertialize" : undefined;
  return other === method || (other === "rmr" && !mode.app.networks.info) ? undefined : other;
}

/** Methods that improve on a plain blend. */
const hasBefore = (method: Method): boolean => method === "rmr" || method === "auto";

/**
 * Whether there are two results to compare: that of the network is missing until it is computed, and where it
 * failed.
 */
export function isCompared(mode: Stitch): boolean {
  const other = comparedMethod(mode);
  return other !== undefined && mode.stitcher.jobs.a.take?.method !== other;
}

/** Whether a comparison shows one result before and after the network. */
export const isBeforeAfter = (mode: Stitch): boolean =>
  isCompared(mode) && hasBefore(methodInForce(mode)) && comparedMethod(mode) === "inertialize";

/** The sides of a comparison from left to right. */
export const sideOrder = (mode: Stitch): readonly ["a" | "b", "a" | "b"] =>
  isBeforeAfter(mode) ? ["b", "a"] : ["a", "b"];

/** Chooses a method; its network is loaded first if necessary. */
export function chooseMethod(mode: Stitch, method: Method): void {
  mode.app.networks.cancel();
  mode.app.networks.problem = undefined;
  if (method === "auto") void mode.app.auto.load();
  if (method === "rmr" && !mode.app.networks.info) void fetchAndUse(mode);
  else use(mode, method);
}

function use(mode: Stitch, method: Method): void {
  const { compare } = mode.app.settings;
  const before = mode.project.method;
  mode.edit(`method: ${methodName(method)}`, ({ gap: _, gapMethod: __, ...project }) => ({
    ...project,
    method,
    compare: hasBefore(method) ? "inertialize" : method === project.compare ? before : project.compare,
  }));
  if (method === "rmr" && compare === "off") mode.app.set({ compare: "swap", side: "a" });
  if (method !== "rmr" && before === "rmr" && compare === "swap") mode.app.set({ compare: "off", side: "a" });
  mode.app.changed();
}

/** Modes whose user has chosen the network, which is being fetched. */
const fetching = new WeakSet<Stitch>();

/** The selected method, also while its network is fetched. */
export const markedMethod = (mode: Stitch): Method =>
  fetching.has(mode) && mode.app.networks.busy ? "rmr" : mode.project.method;

async function fetchAndUse(mode: Stitch): Promise<void> {
  fetching.add(mode);
  const isThere = await mode.app.networks.load(choiceOf(mode));
  fetching.delete(mode);
  if (!isThere) return;
  mode.app.set({ network: true });
  use(mode, "rmr");
  mode.onceStitched(() => {
    if (methodInForce(mode) === "rmr") mode.app.notify("Refined. Press X to compare with the previous result.");
  });
}

/** Adds the network of an earlier visit to the joins that "Automatic" tries. Downloads nothing. */
export async function useKeptNetwork(mode: Stitch): Promise<void> {
  const { settings, networks } = mode.app;
  if (!settings.network || !(await networks.isCached(settings.networkSet))) return;
  await networks.load(choiceOf(mode));
  mode.app.changed();
}

/** Changes device or network: immediately if one is loaded; reverted if the change fails. */
export async function changeNetwork(
  mode: Stitch,
  change: Partial<Pick<Settings, "device" | "networkSet">>,
): Promise<void> {
  const { networks, settings } = mode.app;
  mode.app.set(change);
  if (!networks.info || (await networks.load(choiceOf(mode))) || !networks.problem) return;
  mode.app.notify(sentence(networks.problem.message), "error");
  mode.app.set({ device: settings.device, networkSet: settings.networkSet });
  await networks.load(choiceOf(mode));
}

/** Shows a notice if the network has changed its device, because a graphics device can be lost. */
export async function watchDevice(mode: Stitch): Promise<void> {
  const reason = await mode.app.networks.recheckDevice();
  if (reason) mode.app.notify(`${sentence(reason)} The result is complete.`);
}
