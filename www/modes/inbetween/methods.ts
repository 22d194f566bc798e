/** Methods of the mode, with the display names and texts of the registry. */
import type { InbetweenMethod, NetworkMethodName } from "kinestitch/worker";
import { inbetweenMethods, methodDefaults, methodTexts, networkMethods, defaultNetwork } from "kinestitch/ui";
import { shippedFor } from "../../core/networks";
import { isNetwork } from "../fillers";

/** A method of the mode: "auto" tries all others for each gap, and keeps the most natural motion. */
export type Method = InbetweenMethod | "auto";

/** A method in the menu. */
export interface MethodEntry {
  id: Method;
  name: string;
  hint: string;
}

/** Whether a method has an option with this name. */
export const hasOption = (method: Method, option: string): boolean =>
  method !== "auto" && Object.hasOwn(methodDefaults[method], option);

const AUTOMATIC: MethodEntry = {
  id: "auto",
  name: "Automatic",
  hint: "Fills each gap by every available method, and keeps the motion that is most like recorded motion.",
};

/** Whether the site ships the judge, which "auto" needs to compare motions. */
export const hasAutomatic = shippedFor("judge").length > 0;

/** Menu order: networks first, the default network before the others. */
const ORDER: readonly InbetweenMethod[] = [
  defaultNetwork,
  ...networkMethods.filter((method) => method !== defaultNetwork),
  ...inbetweenMethods.filter((method) => !isNetwork(method)).reverse(),
];

/** Methods in menu order: "auto" first. Networks that the site lacks are left out. */
export const METHODS: readonly MethodEntry[] = [
  ...(hasAutomatic ? [AUTOMATIC] : []),
  ...ORDER.filter((id) => !isNetwork(id) || shippedFor("inbetween", id).length > 0).map((id) => ({
    id,
    name: methodTexts[id].label,
    hint: methodTexts[id].hint,
  })),
];

/** A method that needs no download; used in place of "auto" until the judge is loaded. */
export const PLAIN_METHOD: InbetweenMethod = "inertialize";

/** Method of a new document. */
export const DEFAULT_METHOD: Method = hasAutomatic ? "auto" : PLAIN_METHOD;

/** The network that follows a given path, which candidates vary; `undefined` if the site ships none. */
export const pathMethod: NetworkMethodName | undefined = METHODS.map(({ id }) => id).find(
  (id): id is NetworkMethodName => isNetwork(id) && hasOption(id, "path"),
);

/** Returns the display name of a method. */
export const methodName = (id: string): string => METHODS.find((method) => method.id === id)?.name ?? id;
