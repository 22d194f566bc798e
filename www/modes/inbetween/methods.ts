/** Gap methods on the page; display names and texts are those of the registry. */
import {
  type InbetweenMethod,
  inbetweenMethods,
  methodDefaults,
  methodTexts,
  type NetworkMethodName,
  networkMethods,
  usualNetwork,
} from "kinestitch/worker";
import { shippedFor } from "../../core/networks";

export interface MethodEntry {
  id: InbetweenMethod;
  name: string;
  hint: string;
}

export const isNetwork = (method: InbetweenMethod): method is NetworkMethodName =>
  networkMethods.some((network) => network === method);

/** Whether a method has an option of its own. */
export const hasOption = (method: InbetweenMethod, option: string): boolean =>
  Object.hasOwn(methodDefaults[method], option);

/** Networks first, the usual one before the others. */
const ORDER: readonly InbetweenMethod[] = [
  usualNetwork,
  ...networkMethods.filter((method) => method !== usualNetwork),
  ...inbetweenMethods.filter((method) => !isNetwork(method)).reverse(),
];

/** Networks that the site lacks are left out. */
export const METHODS: readonly MethodEntry[] = ORDER.filter(
  (id) => !isNetwork(id) || shippedFor("inbetween", id).length > 0,
).map((id) => ({ id, name: methodTexts[id].label, hint: methodTexts[id].hint }));

/** The method that finds paths to choose from; absent where the site ships none. */
export const pathMethod: InbetweenMethod | undefined = METHODS.find(({ id }) => hasOption(id, "path"))?.id;

export const methodName = (id: string): string => METHODS.find((method) => method.id === id)?.name ?? id;
