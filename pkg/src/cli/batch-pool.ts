/** Processes that run the jobs of a batch. A job that runs out of memory ends only its own process. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Job } from "./recipe.js";

/** Number of jobs after which a process is replaced, to bound memory that jobs leave behind. */
const JOBS_EACH = 100;

/** Message of a process. */
export interface Answer {
  error?: string;
  seconds: number;
  /** Its resident memory, bytes. */
  memory: number;
}

/** Result of one job. */
export interface Outcome {
  job: Job;
  error?: string;
  seconds: number;
}

/** A pool of processes that run the commands of a recipe, each one command at a time. */
export class Pool {
  /** Largest resident memory of all processes together, bytes. */
  mostMemory = 0;
  readonly #size: number;
  readonly #folder: string;
  readonly #children = new Map<ChildProcess, number>();

  constructor(size: number, folder: string) {
    this.#size = size;
    this.#folder = folder;
  }

  /** Runs all jobs; `ended` is called as each ends. */
  async run(jobs: readonly Job[], ended: (outcome: Outcome) => void): Promise<void> {
    const waiting = [...jobs];
    const lane = async (): Promise<void> => {
      let child: ChildProcess | undefined;
      let count = 0;
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null || count++ >= JOBS_EACH) {
          if (child) this.#dismiss(child);
          child = this.#start();
          count = 1;
        }
        ended(await this.#ask(child, job));
      }
      if (child) this.#dismiss(child);
    };
    await Promise.all(Array.from({ length: this.#size }, lane));
  }

  /** Kills all processes. */
  end(): void {
    for (const child of this.#children.keys()) child.kill();
    this.#children.clear();
  }

  #start(): ChildProcess {
    const script = fileURLToPath(new URL("./batch-worker.js", import.meta.url));
    const child = fork(script, [], { cwd: this.#folder, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#children.set(child, 0);
    return child;
  }

  #dismiss(child: ChildProcess): void {
    this.#children.delete(child);
    if (child.connected) child.disconnect();
  }

  #ask(child: ChildProcess, job: Job): Promise<Outcome> {
    const started = performance.now();
    return new Promise((resolve) => {
      const settle = (answer: Omit<Outcome, "job">): void => {
        child.off("message", heard);
        child.off("exit", left);
        resolve({ job, ...answer });
      };
      const heard = ({ error, seconds, memory }: Answer): void => {
        this.#children.set(child, memory);
        const sum = [...this.#children.values()].reduce((sum, bytes) => sum + bytes, 0);
        this.mostMemory = Math.max(this.mostMemory, sum);
        settle({ seconds, ...(error !== undefined && { error }) });
      };
      const left = (code: number | null, signal: string | null): void => {
        const seconds = (performance.now() - started) / 1000;
        this.#children.delete(child);
        settle({ seconds, error: `its process ended (${signal ?? `code ${code}`})` });
      };
      child.on("message", heard);
      child.on("exit", left);
      child.send(
        job.run,
        (error) => error && settle({ seconds: 0, error: `cannot reach its process: ${error.message}` }),
      );
    });
  }
}
