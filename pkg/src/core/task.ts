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

/** A function of the package with its definition. */
export interface Task<Args extends unknown[], Options extends TaskOptions, Result> {
  (...args: [...Args, options?: Options]): Promise<Result>;
  /** Definition from which the functions of the worker and the command line are derived. @internal */
  readonly definition: Definition<Args, Options, Result>;
}

/** Makes a function of the package. Unknown options and wrong types are refused first. */
export function task<Args extends unknown[], Options extends TaskOptions, Result>(
  definition: Definition<Args, Options, Result>,
): Task<Args, Options, Result> {
  const { name, takes, options: schema, early, run } = definition;
  const call = async (...given: [...Args, options?: Options]): Promise<Result> => {
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
    return run(context, options, ...(given.slice(0, takes) as Args));
  };
  return Object.assign(call, { definition });
}
