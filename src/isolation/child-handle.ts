import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ChildQuestion, ChildReport } from './child-entry.ts';
import type { IsolatedTask, IsolationOutcome, IsolationProblem } from './isolated-task.ts';

/** Bounds of one child process. */
export interface ChildLimits {
  /** Bytes of its heap, as the engine limits it. */
  readonly heap: number;
  /** Bytes of memory that it may have in use (resident), buffers and the engine itself included. */
  readonly memory: number;
  /** Whether the processor prefers everything else to it. */
  readonly stepsBack: boolean;
}

const mebi = 1024 * 1024;
/** How often the memory of a busy process is looked at, in milliseconds. */
const watchPeriod = 25;
/** Milliseconds that a process may take to start and to load a function, on a machine that has much else to do. */
const startLimit = 30_000;
/** A process that keeps more than this part of its memory after a task gets no other one. */
const wornFrom = 0.6;
/** How a process ends that the engine or the kernel finds too large. */
const outOfMemory: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGABRT', 'SIGILL', 'SIGTRAP', 'SIGKILL']);

interface Running {
  readonly done: (outcome: IsolationOutcome<never>) => void;
  readonly time: number;
  readonly watch: NodeJS.Timeout;
  timer: NodeJS.Timeout;
}

/** One child process, and the task it runs. Only tasks that run keep this process alive. */
export class ChildHandle {
  readonly #limits: ChildLimits;
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #running: Running | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #onEnd: () => void = () => undefined;
  #isAlive = true;
  #isWorn = false;

  constructor(limits: ChildLimits) {
    this.#limits = limits;
    this.#child = startChild(limits);
    this.#child.on('message', (report: ChildReport) => this.#receive(report));
    // A process that cannot be started has no end.
    this.#child.on('error', () => this.#died('failed'));
    this.#child.on('exit', (_code, signal) => this.#died(outOfMemory.has(signal) ? 'too_large' : 'failed'));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it can run another task. */
  get isUsable(): boolean {
    return this.#isAlive && !this.#isWorn;
  }

  /** Takes it out of its rest, so that it does not end before it is told its task. */
  rouse(): void {
    clearTimeout(this.#idleTimer);
    this.#keepParent(true);
  }

  /** Runs a task; one at a time, and after a rest it is roused first. @param time Milliseconds it may take once its function is loaded. */
  run({ module, name }: IsolatedTask<never, unknown>, input: unknown, time: number) {
    const { promise, resolve } = Promise.withResolvers<IsolationOutcome<never>>();
    this.#running = {
      done: resolve,
      time,
      watch: setInterval(() => void this.#watchMemory(), watchPeriod),
      timer: setTimeout(() => this.#giveUp('failed'), startLimit),
    };
    try {
      this.#child.send({ module, name, input } satisfies ChildQuestion, (error) => {
        if (error !== null) this.#giveUp('failed');
      });
    } catch {
      // Data that is nested deeper than a message can be.
      this.#finish({ problem: 'failed' });
    }
    return promise;
  }

  /** Ends the process if it gets no task for so many milliseconds. `onEnd` is called when it has ended, for any reason. */
  rest(idle: number, onEnd: () => void): void {
    this.#onEnd = onEnd;
    this.#keepParent(false);
    this.#idleTimer = setTimeout(() => void this.end(), idle).unref();
  }

  /** Ends the process at once. A task that runs ends as `busy`. */
  end(): Promise<void> {
    // Its end is waited for.
    if (this.#isAlive) this.#keepParent(true);
    this.#kill();
    this.#finish({ problem: 'busy' });
    return this.#ended.promise;
  }

  #receive(report: ChildReport): void {
    const running = this.#running;
    if (running === undefined) return;
    if (report === 'begun') {
      clearTimeout(running.timer);
      running.timer = setTimeout(() => this.#giveUp('too_slow'), running.time);
      return;
    }
    this.#isWorn = report.resident > this.#limits.memory * wornFrom;
    this.#finish('result' in report ? { result: report.result as never } : { problem: 'failed' });
  }

  async #watchMemory(): Promise<void> {
    const resident = await residentSize(this.pid);
    if (resident !== undefined && resident > this.#limits.memory) this.#giveUp('too_large');
  }

  #giveUp(problem: IsolationProblem): void {
    if (this.#running === undefined) return;
    this.#kill();
    this.#finish({ problem });
  }

  #kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#idleTimer);
    this.#child.kill('SIGKILL');
  }

  #died(problem: IsolationProblem): void {
    this.#isAlive = false;
    clearTimeout(this.#idleTimer);
    this.#ended.resolve();
    this.#finish({ problem });
    this.#onEnd();
  }

  #finish(outcome: IsolationOutcome<never>): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.timer);
    clearInterval(running.watch);
    running.done(outcome);
  }

  #keepParent(keeps: boolean): void {
    const { channel } = this.#child;
    if (keeps) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }
}

/** Starts a process that has no secret in its environment and may neither write files nor reach the network. */
function startChild({ heap, stepsBack }: ChildLimits): ChildProcess {
  const here = import.meta.url;
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const child = fork(new URL(`./child-entry.${here.endsWith('.ts') ? 'ts' : 'js'}`, here), {
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    execArgv: [
      `--max-old-space-size=${Math.ceil(heap / mebi)}`,
      '--max-semi-space-size=8',
      '--permission',
      '--allow-worker',
      ...readable(cache).map((folder) => `--allow-fs-read=${folder}`),
    ],
    serialization: 'advanced',
    // What a library writes about strangers' data belongs in no log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (stepsBack && child.pid !== undefined) {
    try {
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended, or priorities must not be changed here.
    }
  }
  return child;
}

/** The folders with the code that a child may load: this package, and the packages beside it where it is installed as one. */
function readable(cache: string | undefined): readonly string[] {
  let root = realpathSync(import.meta.dirname);
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  const isInstalled = basename(dirname(root)) === 'node_modules';
  return [isInstalled ? dirname(root) : root, ...(cache === undefined ? [] : [cache])];
}

/** Bytes of memory that a process has in use; undefined where the system does not say. */
async function residentSize(pid: number | undefined): Promise<number | undefined> {
  try {
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
