/**
 * Definitions of the package's functions. The main entries export the functions; those of the worker and the command
 * line are derived from the definitions.
 */
import { checked, type Schema } from "./options.js";
import { type Platform, platform } from "./platform.js";
import type { TaskOptions } from "./types.js";
import { light } from "./wasm.js";

/** Context in which a task runs. */
export interface Context extends Platform {
  /** Resolves when the wasm module is started. */
  ready: Promise<void>;
}

/** Definition of a function of the package, from which the entries of page and worker are made. */
export interface Definition<Args extends unknown[], Options extends TaskOptions, Result> {
  /** Its name in the package. */
  name: string;
  /** Kind of result: a clip, which the worker entry converts to one of its own, or plain values. */
  makes: "clip" | "value";
  /** Number of arguments before the options. */
  takes: Args["length"];
  /** Types of the options. */
  options: Schema<Options>;
  /** Whether it starts before the wasm module is ready and awaits `ready` itself. */
  early?: true;
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
 * A function of the package with its definition, from which the functions of the worker and the command line are
 * derived.
 */
export type Task<Call extends Signature> = Call & {
  /** @internal */
  readonly definition: DefinitionOf<Call>;
};

/**
 * Makes a function of the package from its definition. Unknown options and wrong types are refused first. The signature
 * is given as `Call`, so that its parameters have names in the API reference.
 */
export function task<Call extends Signature>(definition: DefinitionOf<Call>): Task<Call> {
  const { name, takes, options: schema, early, run } = definition;
  const call = async (...given: unknown[]): Promise<Awaited<ReturnType<Call>>> => {
    const options = checked(name, schema, given[takes]);
    const provided = platform();
    const ready = early ? undefined : light.ensure();
    await ready;
    const context = {
      ...provided,
      get ready() {
        return ready ?? light.ensure();
      },
    };
    return run(context, options, ...(given.slice(0, takes) as Args<Call>));
  };
  return Object.assign(call as Call, { definition });
}
