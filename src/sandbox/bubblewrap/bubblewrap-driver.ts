import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { probeLimits } from '../probe-limits.ts';
import type { SandboxContainer, SandboxDriver, SandboxLimits, SandboxReport } from '../sandbox-driver.ts';
import { hasFilter, seccompFilter } from '../seccomp-filter.ts';
import { supervisorScript } from '../supervisor.ts';
import { bubblewrapArguments, descriptors, passwd } from './bubblewrap-arguments.ts';
import { BubblewrapContainer, type ContainerStreams } from './bubblewrap-container.ts';

/** What containers of bubblewrap are made of. */
export interface BubblewrapSettings {
  /** A directory with the programs commands may run; those of this machine by default. */
  readonly root?: string | undefined;
  readonly limits: SandboxLimits;
}

/** Milliseconds. */
const startTime = 10_000;
/** Root is exempt from the limit of processes, so a gateway that runs as root makes containers as nobody. */
const nobody = 65_534;
const mostSaid = 2_000;

/** Containers of Linux namespaces, without an engine (docs/spec/sandbox.md#bubblewrap). */
export class BubblewrapDriver implements SandboxDriver {
  readonly name = 'bubblewrap';
  readonly #settings: () => BubblewrapSettings;
  #made = 0;

  constructor(settings: () => BubblewrapSettings) {
    this.#settings = settings;
  }

  async create(): Promise<SandboxContainer> {
    const { arch, platform } = process;
    if (platform !== 'linux' || !hasFilter(arch)) {
      throw new Error(`bubblewrap needs Linux on x86-64 or 64-bit ARM, this is ${platform} on ${arch}`);
    }
    const { root, limits } = this.#settings();
    const options = [...bubblewrapArguments(root, limits), '--', '/bin/bash', '--norc', '--noprofile', '-c'];
    const command = ['nice', '-n', '10', 'bwrap', ...options, supervisorScript(limits)];
    const child = spawn('taskset', ['-c', this.#nextProcessor(), ...command], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
    });
    const said = collect(child.stdio[2] as Readable);
    const failure = failureOf(child, said);
    // Whoever ends early closes these; why it ended is said elsewhere.
    const stdio: readonly unknown[] = child.stdio;
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    (stdio[descriptors.filter] as Writable).end(seccompFilter(arch));
    (stdio[descriptors.passwd] as Writable).end(passwd);
    const streams: ContainerStreams = {
      input: stdio[0] as Writable,
      control: stdio[1] as Readable,
      stdout: stdio[descriptors.stdout] as Readable,
      stderr: stdio[descriptors.stderr] as Readable,
    };
    let pid: number | undefined;
    try {
      pid = await Promise.race([readPid(stdio[descriptors.info] as Readable), failure]);
      await Promise.race([readReady(streams.control), failure]);
      return new BubblewrapContainer(child, pid, streams, limits.memory);
    } catch (thrown) {
      child.kill('SIGKILL');
      if (pid !== undefined && child.exitCode === null) process.kill(pid, 'SIGKILL');
      throw thrown;
    }
  }

  probe(): Promise<SandboxReport> {
    return probeLimits(() => this.create(), this.#settings().limits, ['one processor']);
  }

  /** Containers take turns on the processors that this process may use. */
  #nextProcessor(): string {
    const allowed = processors();
    this.#made += 1;
    return String(allowed[this.#made % allowed.length] ?? 0);
  }
}

/** The processors that this process may use. */
function processors(): readonly number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function collect(stream: Readable): () => string {
  let said = '';
  stream.on('data', (chunk: Buffer) => {
    if (said.length < mostSaid) said += chunk.toString();
  });
  return () => said.trim().slice(0, mostSaid);
}

/** Rejects when the process ends, or has not begun in time. */
function failureOf(child: ChildProcess, said: () => string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new Error('bubblewrap did not start in time')), startTime);
  timer.unref();
  child.once('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ENOENT' ? new Error('taskset is not installed (package util-linux)') : error),
  );
  child.once('close', (code) => {
    clearTimeout(timer);
    const isMissing = code === 127 && /bwrap/.test(said());
    reject(
      new Error(
        isMissing ? 'bwrap is not installed (package bubblewrap)' : said() || `bwrap ended with ${code}`,
      ),
    );
  });
  return promise;
}

/** Reads what bubblewrap says of the first process; it ends where nobody reads all of that. */
function readPid(info: Readable): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = '';
  info.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const [, pid] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
    if (pid !== undefined) resolve(Number(pid));
  });
  info.once('close', () => reject(new Error('bubblewrap did not say which process it started')));
  return promise;
}

async function readReady(control: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  control.once('data', (chunk: Buffer) =>
    chunk.toString() === 'ready\n' ? resolve() : reject(new Error('the container did not start')),
  );
  await promise;
}
