/** Networks of the command line: `kinestitch info --networks`, and the networks that took part in a result. */
import { networkMethods } from "../generated/methods.js";
import { init, loadNetworks, networkInfo, networkModels } from "../node.js";
import { defaultNetworks } from "../core/network-types.js";
import { platform } from "../core/platform.js";
import { printableJson } from "../core/quote.js";
import type { NetworkInfo, NetworkModel, NetworkOptions, NetworkScore, NetworkTask } from "../core/types.js";
import type { NetworksCommand } from "./commands.js";
import { round } from "./info.js";
import { print } from "./output.js";

/** Options of the last command of this process that could use networks, as JSON. */
let lastOptions: string | undefined;

/**
 * Sets the network options of a command. A process of a batch runs several commands: networks and options of an earlier
 * command with other options are forgotten.
 */
export async function setNetworkOptions(options: NetworkOptions): Promise<void> {
  const newOptions = JSON.stringify(options);
  if (lastOptions !== undefined && newOptions !== lastOptions) platform().networks().reset();
  lastOptions = newOptions;
  await init({ networks: options });
}

/** Prints the available networks, and the device of the network for `stitch`, if it is among them. */
export async function networks({ networks: options, json }: NetworksCommand): Promise<void> {
  await setNetworkOptions(options);
  const models = await networkModels();
  const loaded = models.some((model) => model.for === "stitch") ? await loadNetworks() : undefined;
  if (json) await print(printableJson({ models, ...(loaded && { loaded }) }, 2));
  else
    await print(
      models.length > 0
        ? [...models.map(modelText), ...(loaded ? [networkText(loaded)] : [])].join("\n")
        : "there are no networks in this folder",
    );
}

/** Loads every available network of some tasks, as candidates of "auto". */
export async function loadAllNetworks(tasks: readonly NetworkTask[]): Promise<void> {
  const models = await networkModels();
  const networkNames = tasks.flatMap((task) =>
    [...new Set(models.filter((model) => model.for === task).map(({ name }) => name))].map((name) => ({
      for: task,
      name,
    })),
  );
  await Promise.all(networkNames.map((network) => loadNetworks(network)));
}

/** Loads the default network of a task, if its weights are available. */
export async function loadDefaultNetwork(task: keyof typeof defaultNetworks): Promise<void> {
  const models = await networkModels();
  if (models.some((model) => model.for === task && model.name === defaultNetworks[task]))
    await loadNetworks({ for: task });
}

function modelText({ name, for: task, set, licence, data, files, layout, scores }: NetworkModel): string {
  const fileList = files.map(({ name, bytes }) => `${name}, ${round(bytes / 1e6)} MB`).join("; ");
  return [
    `${name}, for ${task}, set ${set}, layout ${layout}: ${fileList}`,
    `  licence: ${licence}`,
    ...data.map(({ name, licence }) => `  trained on ${name}: ${licence}`),
    ...Object.entries(scores).flatMap(([testName, methods]) => [
      `  ${testName}`,
      ...Object.entries(methods).map(([name, measures]) => `    ${name.padEnd(13)} ${measuresText(measures)}`),
    ]),
  ].join("\n");
}

/** Returns the measures of a method as text; some tests have a single measure. */
const measuresText = (measures: Record<string, NetworkScore> | NetworkScore): string =>
  typeof measures !== "object" || Array.isArray(measures)
    ? scoreText(measures as NetworkScore)
    : Object.entries(measures)
        .map(([name, value]) => `${name} ${scoreText(value)}`)
        .join(", ");

function scoreText(value: NetworkScore): string {
  if (Array.isArray(value)) return value.join(" / ");
  return typeof value === "object"
    ? `(${Object.entries(value)
        .map(([name, measure]) => `${name} ${measure}`)
        .join(", ")})`
    : String(value);
}

/** Returns properties and devices of the networks among the methods of a result, including "rmr". */
export async function networksOfMethods(methods: readonly (string | undefined)[]): Promise<NetworkInfo[]> {
  const names = ["rmr", ...networkMethods].filter((name) => methods.includes(name));
  const infos = names.map((name) => networkInfo(name === "rmr" ? {} : { for: "inbetween", name }));
  return (await Promise.all(infos)).filter((info) => info !== undefined);
}

/** Returns one line about a network and its device. */
export function networkText({ name, set, licence, device }: NetworkInfo): string {
  const { asked, used, reason } = device;
  return `${name} (set ${set}: ${licence}) on ${used}, requested ${asked}: ${reason}`;
}
