/** Choosing the method, and what the network's asks for: loading once, human bodies, the result before it to compare with. */
import type { Method } from "kinestitch/worker";
import type { App } from "./app";
import { sentence } from "./engine";
import { methodName } from "./methods";
import type { Choice } from "./networks";
import type { Settings } from "./settings";

const choiceOf = ({ settings }: App): Choice => ({ device: settings.device, set: settings.networkSet });

/** Every clip is a human body, which is all the network knows. */
export function areBipeds(app: App): boolean {
  return app.project.items.every((item) => {
    const source = app.sourceOf(item);
    const info = app.project.rigs[item.source] ? source?.mapped?.info : source?.info;
    return !info || info.kind === "biped";
  });
}

/** The method clips are joined by: inertialization where the network cannot help. */
export function methodInForce(app: App): Method {
  const { method } = app.project;
  return method === "rmr" && !(app.networks.info && areBipeds(app)) ? "inertialize" : method;
}

/** The method the result is compared with. A refined result always has the one before it beside it. */
export function comparedMethod(app: App): Method | undefined {
  const method = methodInForce(app);
  const other = app.settings.compare !== "off" ? app.project.compare : method === "rmr" ? "inertialize" : undefined;
  return other === method || (other === "rmr" && !app.networks.info) ? undefined : other;
}

/** Whether there are two results to compare: the network's is missing until it is there, and where it failed. */
export function isCompared(app: App): boolean {
  const other = comparedMethod(app);
  return other !== undefined && app.stitcher.jobs.a.take?.method !== other;
}

/** Whether a comparison shows one result before and after the network. */
export const isBeforeAfter = (app: App): boolean =>
  isCompared(app) && methodInForce(app) === "rmr" && comparedMethod(app) === "inertialize";

/** The sides of a comparison from left to right. */
export const sideOrder = (app: App): readonly ["a" | "b", "a" | "b"] => (isBeforeAfter(app) ? ["b", "a"] : ["a", "b"]);

/** Joins clips by a method from now on; the network is fetched first where it is not here yet. */
export function chooseMethod(app: App, method: Method): void {
  app.networks.cancel();
  app.networks.problem = undefined;
  if (method === "rmr" && !app.networks.info) void fetchAndUse(app);
  else use(app, method);
}

function use(app: App, method: Method): void {
  const { compare } = app.settings;
  const before = app.project.method;
  app.edit(`method: ${methodName(method)}`, (project) => ({
    ...project,
    method,
    compare: method === "rmr" ? "inertialize" : method === project.compare ? before : project.compare,
  }));
  if (method === "rmr" && compare === "off") app.set({ compare: "swap", side: "a" });
  if (method !== "rmr" && before === "rmr" && compare === "swap") app.set({ compare: "off", side: "a" });
  app.changed();
}

async function fetchAndUse(app: App): Promise<void> {
  if (!(await app.networks.load(choiceOf(app)))) return;
  app.set({ network: true });
  use(app, "rmr");
  app.onceStitched(() => {
    if (methodInForce(app) === "rmr") app.notify("Refined. X flips to the result before, and back.");
  });
}

/** Where the network was fetched on an earlier visit, it is the default. Downloads nothing. */
export async function useKeptNetwork(app: App): Promise<void> {
  const { settings } = app;
  if (!settings.network || !(await app.networks.isHere(settings.networkSet))) return;
  if (!(await app.networks.load(choiceOf(app)))) return;
  app.history.rewrite((project) => (project.method === "inertialize" ? { ...project, method: "rmr", compare: "inertialize" } : project));
  if (app.project.method === "rmr" && app.settings.compare === "off") app.set({ compare: "swap", side: "a" });
  app.changed();
}

/** Takes another device or network; at once if one is loaded, and back where that fails. */
export async function changeNetwork(app: App, change: Partial<Pick<Settings, "device" | "networkSet">>): Promise<void> {
  const { networks, settings } = app;
  app.set(change);
  if (!networks.info || (await networks.load(choiceOf(app))) || !networks.problem) return;
  app.notify(sentence(networks.problem.message), "error");
  app.set({ device: settings.device, networkSet: settings.networkSet });
  await networks.load(choiceOf(app));
}

/** Says so where the network had to go on elsewhere than before: a graphics device can be lost. */
export async function watchDevice(app: App): Promise<void> {
  const reason = await app.networks.look();
  if (reason) app.notify(`${sentence(reason)} The result is complete.`);
}
