import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A Redis server of a test's own: nothing on disk, stopped with `stop`. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Stops it at once, losing all it knew. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** Makes it keep its connections and answer nothing. */
  pause(): void;
  resume(): void;
  /** Runs one command and returns its reply as Redis writes it. */
  ask(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a server on a free port. */
export function startRedis(...options: readonly string[]): Promise<TestRedis> {
  return start(async (port, directory) => {
    // In it sentinels keep whose replica it is.
    const file = join(directory, 'redis.conf');
    await writeFile(file, '');
    return [
      ...[file, '--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
      ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
      ...options,
    ];
  });
}

/** Starts a sentinel with these lines in its file; one that is started again remembers what it learnt. */
export function startSentinel(...lines: readonly string[]): Promise<TestRedis> {
  return start(async (port, directory) => {
    const file = join(directory, 'sentinel.conf');
    const basics = [`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`];
    await writeFile(file, [...basics, ...lines, ''].join('\n'));
    return [file, '--sentinel'];
  });
}

async function start(
  prepare: (port: number, directory: string) => Promise<readonly string[]>,
): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-redis-'));
  const port = await freePort();
  const args = await prepare(port, directory);
  let server = await launch(port, args);
  const kill = () => end(server);
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    kill,
    restart: async () => {
      await kill();
      server = await launch(port, args);
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    ask: (...args) => ask(port, args),
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  running.add(server);
  server.once('exit', () => running.delete(server));
  const failed = new Promise<never>((_, reject) => {
    server.once('error', () => reject(new Error('redis-server is missing: apt-get install redis-server')));
  });
  try {
    await Promise.race([failed, untilReady(port, server)]);
  } catch (error) {
    server.kill('SIGKILL');
    throw error;
  }
  return server;
}

async function untilReady(port: number, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    assert.equal(server.exitCode, null, 'redis-server ended at its start');
    try {
      if (/^(\+PONG|-NOAUTH)/.test(await ask(port, ['PING']))) return;
    } catch {
      // Not yet.
    }
    await setTimeout(20);
  }
  throw new Error('redis-server did not become ready');
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGCONT');
  server.kill('SIGKILL');
  await gone;
}

async function ask(port: number, args: readonly string[]): Promise<string> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  try {
    socket.write(`*${args.length}\r\n${parts.join('')}`);
    const hungUp = once(socket, 'end').then(() => assert.fail('Redis hung up'));
    const answered = once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
    const [reply] = await Promise.race([answered, hungUp]);
    return String(reply);
  } finally {
    socket.destroy();
  }
}
