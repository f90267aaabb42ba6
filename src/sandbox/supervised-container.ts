import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { MarkedOutput } from './marked-output.ts';
import type { CommandBounds, CommandOutcome, SandboxContainer } from './sandbox-driver.ts';

/** Bytes of one stream that are read and dropped before a command is ended. */
const mostDropped = 64 * 1024 * 1024;
/** Milliseconds that a stopped command has to end. After that its container is destroyed too. */
const patience = 2_000;
const longestCommand = 100_000;

/** A container whose first process is the supervisor, and what reaches it. */
export interface SupervisedProcess {
  readonly input: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once it has ended. */
  readonly ended: Promise<unknown>;
  /** Tells the supervisor to end the command that runs. */
  stop(): void;
  /** Ends the container. */
  kill(): void;
  /** Calls once its processes use too much memory, where nothing else limits that. Returns what ends the watch. */
  watch?(onTooMuch: () => void): () => void;
}

/** A container whose first process waits for commands (docs/spec/sandbox.md#commands). */
export class SupervisedContainer implements SandboxContainer {
  readonly #process: SupervisedProcess;
  readonly #stdout: MarkedOutput;
  readonly #stderr: MarkedOutput;
  #isAlive = true;

  constructor(process: SupervisedProcess) {
    this.#process = process;
    this.#stdout = new MarkedOutput(process.stdout);
    this.#stderr = new MarkedOutput(process.stderr);
    process.input.on('error', () => this.#lost());
    process.ended.then(
      () => this.#lost(),
      () => this.#lost(),
    );
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async exec(command: string, bounds: CommandBounds): Promise<CommandOutcome> {
    const { timeout, maxOutput, signal } = bounds;
    signal.throwIfAborted();
    if (!this.#isAlive) throw new Error('the container is gone');
    if (command.includes('\0') || Buffer.byteLength(command) > longestCommand) {
      throw new RangeError(`a command has at most ${longestCommand} bytes and no NUL`);
    }
    const mark = randomBytes(24).toString('hex');
    const stopping = new Stopping(
      () => this.#process.stop(),
      () => void this.destroy(),
    );
    const noticeBytes = (total: number) => {
      if (total > mostDropped) stopping.stop('output');
    };
    const reading = Promise.all([
      this.#stdout.until(mark, maxOutput, noticeBytes),
      this.#stderr.until(mark, maxOutput, noticeBytes),
    ]);
    const timer = setTimeout(() => stopping.stop('time'), timeout);
    const onAbort = () => stopping.stop('abort');
    signal.addEventListener('abort', onAbort, { once: true });
    const unwatch = this.#process.watch?.(() => stopping.stop('memory'));
    try {
      this.#process.input.write(`${mark}\0${command}\0`);
      const [stdout, stderr] = await reading;
      signal.throwIfAborted();
      return outcomeOf(stdout.text, stderr.text, exitCodeOf(stdout.note), stopping.reason);
    } catch (thrown) {
      signal.throwIfAborted();
      // It took its container with it, which is how a command ends that does not end otherwise.
      if (stopping.reason !== undefined) return outcomeOf('', '', 137, stopping.reason);
      throw thrown;
    } finally {
      clearTimeout(timer);
      unwatch?.();
      stopping.settle();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async destroy(): Promise<void> {
    this.#process.kill();
    await this.#process.ended.catch(() => undefined);
  }

  #lost(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#process.kill();
    const error = new Error('the container is gone');
    this.#stdout.fail(error);
    this.#stderr.fail(error);
  }
}

/** A command that took over its container may write anything. */
function exitCodeOf(note: string): number {
  return /^\d{1,3}$/.test(note) ? Number(note) & 255 : 255;
}

type StopReason = 'time' | 'output' | 'memory' | 'abort';

/** Ends a command once, for the first reason there is; with force where it does not end. */
class Stopping {
  readonly #end: () => void;
  readonly #force: () => void;
  #timer: NodeJS.Timeout | undefined;
  reason: StopReason | undefined;

  constructor(end: () => void, force: () => void) {
    this.#end = end;
    this.#force = force;
  }

  stop(reason: StopReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#end();
    this.#timer = setTimeout(this.#force, patience);
  }

  settle(): void {
    clearTimeout(this.#timer);
  }
}

const words = {
  output: '[ended: the command wrote too much]',
  memory: '[ended: the command used too much memory]',
};

function outcomeOf(
  stdout: string,
  stderr: string,
  exitCode: number,
  reason: StopReason | undefined,
): CommandOutcome {
  if (reason === 'time') return { stdout, stderr, exitCode: undefined };
  if (reason === 'output' || reason === 'memory') {
    return { stdout, stderr: `${stderr}\n${words[reason]}`.trimStart(), exitCode: 137 };
  }
  return { stdout, stderr, exitCode };
}
