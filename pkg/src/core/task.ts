/**
 * What a function of the package is made of. The main entries call it as it is; the worker's and the command line's are
 * derived from its definition.
 */
import { checked, type Schema } from "./options.js";
import { type Platform, platform } from "./platform.js";
import type { TaskOptions } from "./types.js";
import { light } from "./wasm.js";

/** What a task is run with. */
export interface Context extends Platform {
  /** Resolves when the wasm module is there. */
  ready: Promise<void>;
}

export interface Definition<Args extends unknown[], Options extends TaskOptions, Result> {
  /** Its name in the package. */
  name: string;
  /** What comes out: a clip, which the worker entry hands out as one of its own, or plain values. */
  makes: "clip" | "value";
  /** Number of arguments before the options. */
  takes: Args["length"];
  /** What each option must be. */
  options: Schema<Options>;
  /** It has something to do while the wasm module loads: it waits for `ready` itself. Else it runs when that is there. */
  early?: true;
  run(context: Context, options: Options, ...args: Args): Result | Promise<Result>;
}

/** A function of the package, with what it is made of. */
export interface Task<Args extends unknown[], Options extends TaskOptions, Result> {
  (...args: [...Args, options?: Options]): Promise<Result>;
  /** What the worker and the command line are derived from. @internal */
  readonly definition: Definition<Args, Options, Result>;
}

/** Makes a function of the package. Options that are unknown or of a wrong type are refused before anything else. */
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
