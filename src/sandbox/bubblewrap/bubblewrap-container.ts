import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { MarkedOutput } from '../marked-output.ts';
import type { CommandBounds, CommandOutcome, SandboxContainer } from '../sandbox-driver.ts';
import { MemoryWatch } from './memory-watch.ts';

/** Bytes of one stream that are read and dropped before a command is ended. */
const mostDropped = 64 * 1024 * 1024;
/** Milliseconds until a command that was told to end takes its container with it. */
const patience = 2_000;
const longestCommand = 100_000;
const longestLine = 64;

/** The streams of a container's first process. */
export interface ContainerStreams {
  readonly input: Writable;
  readonly control: Readable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A container of bubblewrap: its first process waits for commands (docs/spec/sandbox.md#commands). */
export class BubblewrapContainer implements SandboxContainer {
  readonly #child: ChildProcess;
  /** The first process, as this machine numbers it. */
  readonly #pid: number;
  readonly #input: Writable;
  readonly #stdout: MarkedOutput;
  readonly #stderr: MarkedOutput;
  readonly #memory: MemoryWatch;
  #line = '';
  #ended: PromiseWithResolvers<number> | undefined;
  #isAlive = true;
  readonly #gone = Promise.withResolvers<void>();

  constructor(child: ChildProcess, pid: number, streams: ContainerStreams, memory: number) {
    this.#child = child;
    this.#pid = pid;
    this.#input = streams.input;
    this.#stdout = new MarkedOutput(streams.stdout);
    this.#stderr = new MarkedOutput(streams.stderr);
    this.#memory = new MemoryWatch(pid, memory);
    streams.control.on('data', (chunk: Buffer) => this.#readControl(chunk.toString('latin1')));
    streams.input.on('error', () => this.#lost());
    child.once('close', () => this.#lost());
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
      () => this.#signal('SIGUSR1'),
      () => void this.destroy(),
    );
    const noticeBytes = (total: number) => {
      if (total > mostDropped) stopping.stop('output');
    };
    this.#ended = Promise.withResolvers();
    const reading = Promise.all([
      this.#stdout.until(mark, maxOutput, noticeBytes),
      this.#stderr.until(mark, maxOutput, noticeBytes),
      this.#ended.promise,
    ]);
    const timer = setTimeout(() => stopping.stop('time'), timeout);
    const onAbort = () => stopping.stop('abort');
    signal.addEventListener('abort', onAbort, { once: true });
    const unwatch = this.#memory.watch(() => stopping.stop('memory'));
    try {
      this.#input.write(`${mark}\0${command}\0`);
      const [stdout, stderr, exitCode] = await reading;
      signal.throwIfAborted();
      return outcomeOf(stdout.text, stderr.text, exitCode, stopping.reason);
    } catch (thrown) {
      signal.throwIfAborted();
      // It took its container with it, which is how a command ends that does not end otherwise.
      if (stopping.reason !== undefined) return outcomeOf('', '', 137, stopping.reason);
      throw thrown;
    } finally {
      clearTimeout(timer);
      unwatch();
      stopping.settle();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async destroy(): Promise<void> {
    this.#signal('SIGKILL');
    this.#child.kill('SIGKILL');
    await this.#gone.promise;
  }

  #signal(name: 'SIGKILL' | 'SIGUSR1'): void {
    if (!this.#isAlive) return;
    try {
      process.kill(this.#pid, name);
    } catch {
      // It has just ended.
    }
  }

  /** Lines with exit codes. What else may come is of a command that took over, and ends the container. */
  #readControl(text: string): void {
    this.#line += text;
    if (this.#line.length > longestLine) return void this.destroy();
    for (let end = this.#line.indexOf('\n'); end !== -1; end = this.#line.indexOf('\n')) {
      const code = Number(this.#line.slice(0, end));
      this.#line = this.#line.slice(end + 1);
      this.#ended?.resolve(Number.isInteger(code) ? code & 255 : 255);
      this.#ended = undefined;
    }
  }

  #lost(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
    const error = new Error('the container is gone');
    this.#ended?.promise.catch(() => undefined);
    this.#ended?.reject(error);
    this.#stdout.fail(error);
    this.#stderr.fail(error);
    this.#gone.resolve();
  }
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
