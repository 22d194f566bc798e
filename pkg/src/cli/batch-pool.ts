/** Worker processes for the jobs of a batch. A job that runs out of memory ends only its own process. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { FileError } from "./file-error.js";
import type { Job } from "./job.js";

/** Number of jobs after which a process is replaced, because jobs may leave memory behind. */
const JOBS_PER_PROCESS = 100;

/** Message of a worker process after each job. */
export interface WorkerReply {
  /** Error message if the job failed. */
  error?: string;
  seconds: number;
  /** Resident memory of the process, bytes. */
  memory: number;
}

/** Outcome of one job; it succeeded if `error` is absent. */
export interface Outcome {
  job: Job;
  error?: string;
  seconds: number;
}

/** A pool of worker processes; each runs one job at a time. */
export class ProcessPool {
  /** Largest resident memory of all processes together, bytes. */
  peakMemory = 0;
  readonly #size: number;
  readonly #folder: string;
  /** Resident memory of each running process after its last job, bytes. */
  readonly #memory = new Map<ChildProcess, number>();
  #isKilled = false;

  /** `size`: number of processes. `folder`: their working directory. */
  constructor(size: number, folder: string) {
    this.#size = size;
    this.#folder = folder;
  }

  /** Runs all jobs and calls `onEnd` after each. Rejects if a process cannot start, or if `onEnd` throws. */
  async run(jobs: readonly Job[], onEnd: (outcome: Outcome) => void): Promise<void> {
    const queue = [...jobs];
    const runWorker = async (): Promise<void> => {
      let child: ChildProcess | undefined;
      let jobCount = 0;
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        const hasExited = child !== undefined && (child.exitCode !== null || child.signalCode !== null);
        if (child === undefined || hasExited || jobCount++ >= JOBS_PER_PROCESS) {
          if (child) this.#release(child);
          child = this.#startProcess();
          jobCount = 1;
        }
        const outcome = await this.#runJob(child, job);
        if (this.#isKilled) return;
        onEnd(outcome);
      }
      if (child) this.#release(child);
    };
    await Promise.all(Array.from({ length: this.#size }, runWorker));
  }

  /** Kills all processes; no further job starts. */
  kill(): void {
    this.#isKilled = true;
    for (const child of this.#memory.keys()) child.kill();
    this.#memory.clear();
  }

  #startProcess(): ChildProcess {
    const script = fileURLToPath(new URL("./batch-worker.js", import.meta.url));
    const child = fork(script, [], { cwd: this.#folder, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#memory.set(child, 0);
    return child;
  }

  /** Closes the channel to an idle process, which then exits by itself. */
  #release(child: ChildProcess): void {
    this.#memory.delete(child);
    if (child.connected) child.disconnect();
  }

  /** Sends a job to a process and waits for its reply, or for the end of the process. Rejects if it did not start. */
  #runJob(child: ChildProcess, job: Job): Promise<Outcome> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (outcome: Omit<Outcome, "job">): void => {
        child.off("message", onMessage);
        child.off("exit", onExit);
        child.off("error", onError);
        resolve({ job, ...outcome });
      };
      const onMessage = ({ error, seconds, memory }: WorkerReply): void => {
        this.#memory.set(child, memory);
        const totalMemory = [...this.#memory.values()].reduce((sum, bytes) => sum + bytes, 0);
        this.peakMemory = Math.max(this.peakMemory, totalMemory);
        settle({ seconds, ...(error !== undefined && { error }) });
      };
      const onExit = (code: number | null, signal: string | null): void => {
        const seconds = (performance.now() - started) / 1000;
        this.#memory.delete(child);
        settle({ seconds, error: `its process ended (${signal ?? `code ${code}`})` });
      };
      const onError = ({ message }: Error): void =>
        reject(new FileError(`cannot start a worker process: ${message}; use fewer --workers`));
      child.on("message", onMessage);
      child.on("exit", onExit);
      child.on("error", onError);
      child.send(
        job.run,
        (error) => error && settle({ seconds: 0, error: `cannot reach its process: ${error.message}` }),
      );
    });
  }
}
