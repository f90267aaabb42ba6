import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SupervisedContainer, type SupervisedProcess } from './supervised-container.ts';
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
