/** Choice of the method and of the compared method; loads the network of the refiner if necessary. */
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

/** Whether the refiner can be applied: its network is loaded, and every clip is of a biped. */
const canRefine = (mode: Stitch): boolean => mode.app.networks.info !== undefined && areBipeds(mode);

/** Returns the effective method: inertialization if the network cannot be applied, and until "auto" is ready. */
export function effectiveMethod(mode: Stitch): Method {
  const { method } = mode.project;
  if (method === "auto") return mode.app.auto.isReady ? "auto" : "inertialize";
  return method === "rmr" && !canRefine(mode) ? "inertialize" : method;
}

/**
 * Returns the method of side b; `undefined` if it is the method of side a, or the refiner that cannot be
 * applied. If "Compare" is off: inertialization if side a is refined or automatic, else `undefined`.
 */
export function comparedMethod(mode: Stitch): Method | undefined {
  const method = effectiveMethod(mode);
  const compared =
    mode.app.settings.compare !== "off" ? mode.project.compare : improvesOnBlend(method) ? "inertialize" : undefined;
  return compared === method || (compared === "rmr" && !canRefine(mode)) ? undefined : compared;
}

/** Whether a method is shown as an improvement on plain inertialization, with the labels "Before" and "After". */
const improvesOnBlend = (method: Method): boolean => method === "rmr" || method === "auto";

/**
 * Whether there are two results to compare. Until side a is refined, and if that fails, it shows the same blend as side
 * b, so there is only one.
 */
export function isCompared(mode: Stitch): boolean {
  const compared = comparedMethod(mode);
  return compared !== undefined && mode.stitcher.jobs.a.result?.method !== compared;
}

/** Whether a comparison shows one result before and after refinement or "auto". */
export const isBeforeAfter = (mode: Stitch): boolean =>
  isCompared(mode) && improvesOnBlend(effectiveMethod(mode)) && comparedMethod(mode) === "inertialize";

/** Returns the sides of a comparison from left to right. */
export const sideOrder = (mode: Stitch): readonly ["a" | "b", "a" | "b"] =>
  isBeforeAfter(mode) ? ["b", "a"] : ["a", "b"];

/** Chooses a method; its network is loaded first if necessary. */
export function chooseMethod(mode: Stitch, method: Method): void {
  mode.app.networks.cancel();
  mode.app.networks.problem = undefined;
  if (method === "auto") void mode.app.auto.load();
  if (method === "rmr" && !mode.app.networks.info) void loadAndSetMethod(mode);
  else setMethod(mode, method);
}

/** Chooses inserted frames instead of a blend. `defaultGap`: number of frames, if the project has none. */
export function chooseInsertedFrames(mode: Stitch, defaultGap: number): void {
  // Otherwise the refiner would replace this choice when its network is loaded.
  mode.app.networks.cancel();
  mode.app.networks.problem = undefined;
  setMethod(mode, "inertialize", mode.project.gap ?? defaultGap);
}

/** Sets the method. `gap`: number of inserted frames; `undefined`: a blend. */
function setMethod(mode: Stitch, method: Method, gap?: number): void {
  const { compare } = mode.app.settings;
  const previous = mode.project.method;
  const label = gap === undefined ? `method: ${methodName(method)}` : "insert frames";
  mode.edit(label, ({ gap: _, gapMethod, ...project }) => ({
    ...project,
    method,
    compare: improvesOnBlend(method) ? "inertialize" : method === project.compare ? previous : project.compare,
    ...(gap !== undefined && { gap, ...(gapMethod && { gapMethod }) }),
  }));
  if (method === "rmr" && compare === "off") mode.app.set({ compare: "swap", side: "a" });
  if (method !== "rmr" && previous === "rmr" && compare === "swap") mode.app.set({ compare: "off", side: "a" });
  mode.app.requestUpdate();
}

/** Latest request of each mode that switches to the refiner when its network is loaded. */
const fetching = new WeakMap<Stitch, object>();

/** Returns the method that the menu shows as selected: already "rmr" while its network is loaded. */
export const selectedMethod = (mode: Stitch): Method =>
  fetching.has(mode) && mode.app.networks.busy ? "rmr" : mode.project.method;

async function loadAndSetMethod(mode: Stitch): Promise<void> {
  const request = {};
  fetching.set(mode, request);
  const isLoaded = await mode.app.networks.load(choiceOf(mode));
  // A newer request is still loading.
  if (fetching.get(mode) === request) fetching.delete(mode);
  if (!isLoaded) return;
  mode.app.set({ network: true });
  setMethod(mode, "rmr");
  mode.onceStitched(() => {
    if (effectiveMethod(mode) === "rmr")
      mode.app.notify("Refined. Press X to compare with the motion before refinement.");
  });
}

/** Loads the network of an earlier visit, for stored work that uses it and for "Automatic". Downloads nothing. */
export async function loadCachedNetwork(mode: Stitch): Promise<void> {
  const { settings, networks } = mode.app;
  if (!settings.network || !(await networks.isCached(settings.networkSet))) return;
  // The user may have chosen a network meanwhile.
  if (networks.info || networks.busy) return;
  await networks.load(choiceOf(mode));
  mode.app.requestUpdate();
}

/**
 * Changes the device or the network. A loaded network is loaded again; if that fails or is cancelled, the change is
 * reverted. A network that is being loaded is loaded with the change instead.
 */
export async function changeNetwork(
  mode: Stitch,
  change: Partial<Pick<Settings, "device" | "networkSet">>,
): Promise<void> {
  const { networks, settings } = mode.app;
  mode.app.set(change);
  if (!networks.info && networks.busy) {
    if (fetching.has(mode)) void loadAndSetMethod(mode);
    else void networks.load(choiceOf(mode));
    return;
  }
  if (!networks.info || (await networks.load(choiceOf(mode)))) return;
  // A newer change is being loaded.
  if (networks.busy) return;
  if (networks.problem) mode.app.notify(sentence(networks.problem.message), "error");
  mode.app.set({ device: settings.device, networkSet: settings.networkSet });
  await networks.load(choiceOf(mode));
}

/** Shows a notice if the network runs on another device than before: a graphics device can be lost. */
export async function checkDevice(mode: Stitch): Promise<void> {
  const reason = await mode.app.networks.recheckDevice();
  if (reason) mode.app.notify(`${sentence(reason)} The result is complete.`);
}
