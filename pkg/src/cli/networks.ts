import { loadNetworks, networkModels } from "../node.js";
import type { NetworkInfo, NetworkModel } from "../core/types.js";
import type { NetworksCommand } from "./args.js";
import { round } from "./info.js";

/** Prints which networks there are, and where the one that is asked for runs. */
export async function networks({ networks, json }: NetworksCommand): Promise<void> {
  const models = await networkModels(networks);
  const loaded = await loadNetworks(networks);
  console.log(json ? JSON.stringify({ models, loaded }, undefined, 2) : [...models.map(model), used(loaded)].join("\n"));
}

function model({ method, set, licence, data, file, bytes, layout, scores }: NetworkModel): string {
  return [
    `${method}, set ${set}: ${file}, ${round(bytes / 1e6)} MB, layout ${layout}`,
    `  licence: ${licence}`,
    ...data.map(({ name, licence }) => `  trained on ${name}: ${licence}`),
    ...Object.entries(scores).flatMap(([test, methods]) => [
      `  ${test}`,
      ...Object.entries(methods).map(([name, measures]) => `    ${name.padEnd(12)}${pairs(measures)}`),
    ]),
  ].join("\n");
}

const pairs = (measures: Record<string, number>): string => Object.entries(measures).map(([name, value]) => `${name} ${value}`).join(", ");

/** One line on what a network is and where it runs. */
export function used({ method, set, licence, device }: NetworkInfo): string {
  const { asked, used, reason } = device;
  return `${method} (set ${set}: ${licence}) on ${used}, asked ${asked}: ${reason}`;
}
