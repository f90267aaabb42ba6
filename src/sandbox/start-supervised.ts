import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { CommandBounds, CommandOutcome, SandboxContainer } from './sandbox-driver.ts';
import { readyLine } from './supervisor.ts';

const mostSaid = 2_000;

/** What a driver knows of a container it starts. */
export interface StartedProcess extends Pick<SupervisedProcess, 'stop' | 'kill' | 'watch'> {
  readonly child: ChildProcess;
  /** Milliseconds until it must take commands. */
  readonly startTime: number;
  /** Why it did not start, in better words, where something is known of that. */
  explain(said: string, code: number | string | null): string | undefined;
}

/**
 * Waits until a container takes commands.
 * @throws Error saying why it does not.
 */
export async function startSupervised(started: StartedProcess): Promise<SupervisedContainer> {
  const { child, startTime, explain } = started;
  // Who ends early closes these; why it ended is said elsewhere.
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  const stderr = child.stderr as Readable;
  const stdout = child.stdout as Readable;
  let said = '';
  const collect = (chunk: Buffer) => {
    if (said.length < mostSaid) said += chunk.toString();
  };
  stderr.on('data', collect);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const fail = (code: number | string | null) => {
    const words = said.trim().slice(0, mostSaid);
    failed.reject(new Error(explain(words, code) ?? (words || `it ended with ${code}`)));
  };
  const timer = setTimeout(() => fail('a time-out'), startTime);
  child.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
  child.once('close', fail);
  try {
    await Promise.race([readReady(stdout), failed.promise]);
  } catch (thrown) {
    started.kill();
    throw thrown;
  } finally {
    clearTimeout(timer);
    stderr.off('data', collect);
  }
  return new SupervisedContainer({ ...started, input: child.stdin as Writable, stdout, stderr, ended });
}

/** It says nothing else before it is ready. */
function readReady(stdout: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  stdout.once('data', (chunk: Buffer) =>
    chunk.toString() === readyLine ? resolve() : reject(new Error('the container did not start')),
  );
  return promise;
}

/** Bytes of one stream that are read and dropped before a command is ended. */
const mostDropped = 64 * 1024 * 1024;
/** Milliseconds that a stopped command has to end. After that its container is destroyed too. */
const patience = 2_000;
const longestCommand = 100_000;

/** A container whose first process is the supervisor, and what reaches it. */
interface SupervisedProcess {
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
class SupervisedContainer implements SandboxContainer {
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

/** What was read of one command. */
interface ReadOutput {
  readonly text: string;
  /** What followed the mark on its line. */
  readonly note: string;
}

interface Reading {
  readonly mark: Buffer;
  readonly most: number;
  readonly onBytes: (total: number) => void;
  readonly done: PromiseWithResolvers<ReadOutput>;
}

const longestNote = 64;

/** One output of a container, which all its commands write to one after the other, each ended by a line that begins with a mark. */
class MarkedOutput {
  #reading: Reading | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #total = 0;
  /** The end of what was read, in which a mark may have begun. */
  #tail: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /**
   * Reads until a mark.
   * @param most Bytes to keep; the others are read and dropped. @param onBytes Called with the bytes so far.
   */
  until(mark: string, most: number, onBytes: (total: number) => void): Promise<ReadOutput> {
    const done = Promise.withResolvers<ReadOutput>();
    this.#reading = { mark: Buffer.from(mark), most, onBytes, done };
    this.#kept = [];
    this.#keptBytes = 0;
    this.#total = 0;
    this.#tail = Buffer.alloc(0);
    return done.promise;
  }

  /** Ends a reading whose container is gone. */
  fail(error: Error): void {
    this.#reading?.done.reject(error);
    this.#reading = undefined;
  }

  #read(chunk: Buffer): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    const whole = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const at = whole.indexOf(reading.mark);
    if (at === -1) {
      const tail = Math.min(whole.length, reading.mark.length - 1);
      this.#keep(whole.subarray(0, whole.length - tail), reading.most);
      this.#tail = Buffer.from(whole.subarray(whole.length - tail));
      reading.onBytes(this.#total);
      return;
    }
    this.#keep(whole.subarray(0, at), reading.most);
    this.#tail = Buffer.from(whole.subarray(at, at + reading.mark.length + longestNote));
    const end = this.#tail.indexOf('\n');
    if (end === -1 && this.#tail.length < reading.mark.length + longestNote) return;
    const note = this.#tail.subarray(reading.mark.length, end).toString('latin1');
    this.#reading = undefined;
    reading.done.resolve({ text: Buffer.concat(this.#kept).toString(), note });
    this.#kept = [];
  }

  #keep(bytes: Buffer, most: number): void {
    this.#total += bytes.length;
    const room = most - this.#keptBytes;
    if (room <= 0 || bytes.length === 0) return;
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }
}
