/**
 * Definitions of the package's functions. The main entries export the functions; the functions of the worker entry and
 * the options of the command line are derived from the definitions.
 */
import { throwIfAborted } from "./error.js";
import { checkOptions, type Schema } from "./options.js";
import { type Platform, platform } from "./platform.js";
import type { TaskOptions } from "./types.js";
import { mainModule } from "./wasm.js";

/** Context in which a task runs. */
export interface Context extends Platform {
  /** Resolves when the wasm module is started. */
  ready: Promise<void>;
}

/** Definition of a function of the package, for the main entries and the worker entry. */
export interface Definition<Args extends unknown[], Options extends TaskOptions, Result> {
  /** Name of the function. */
  name: string;
  /** Kind of result: a clip, which the worker entry converts to a clip of its own class, or plain values. */
  resultKind: "clip" | "value";
  /** Number of arguments before the options. */
  argumentCount: Args["length"];
  /** Types of the options. */
  options: Schema<Options>;
  /** If true, `run` is called before the wasm module is ready and awaits `ready` itself. */
  startsEarly?: true;
  run(context: Context, options: Options, ...args: Args): Result | Promise<Result>;
}

/** Signature of a function of the package: arguments, then options. */
// biome-ignore lint/suspicious/noExplicitAny: any arguments and any result
export type Signature = (...args: any[]) => Promise<any>;

/** Arguments of a signature before its options. */
type Args<Call extends Signature> =
  Required<Parameters<Call>> extends readonly [...infer Before, unknown] ? Before : never;

/** Options of a signature: its last argument. */
type Options<Call extends Signature> =
  Required<Parameters<Call>> extends readonly [...unknown[], infer Last extends TaskOptions] ? Last : never;

/** The definition of a function with a signature. */
export type DefinitionOf<Call extends Signature> = Definition<Args<Call>, Options<Call>, Awaited<ReturnType<Call>>>;

/**
 * A function of the package with its definition.
 */
export type Task<Call extends Signature> = Call & {
  /** Name, options and number of arguments, of which the worker and the command line are made. */
  readonly definition: DefinitionOf<Call>;
};

/**
 * Creates a function of the package from its definition. The function first rejects unknown options and wrong types.
 * `Call` is its signature with named parameters, for the API reference.
 */
export function task<Call extends Signature>(definition: DefinitionOf<Call>): Task<Call> {
  const { name, argumentCount, options: schema, startsEarly, run } = definition;
  const call = async (...args: unknown[]): Promise<Awaited<ReturnType<Call>>> => {
    const options = checkOptions(name, schema, args[argumentCount]);
    throwIfAborted(options.signal);
    const registered = platform();
    const ready = startsEarly ? undefined : mainModule.ensure();
    await ready;
    const context = {
      ...registered,
      get ready() {
        return ready ?? mainModule.ensure();
      },
    };
    return run(context, options, ...(args.slice(0, argumentCount) as Args<Call>));
  };
  return Object.assign(call as Call, { definition });
}
