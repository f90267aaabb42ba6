import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { probeLimits } from '../probe-limits.ts';
import type { SandboxContainer, SandboxDriver, SandboxLimits, SandboxReport } from '../sandbox-driver.ts';
import { startSupervised } from '../start-supervised.ts';
import { supervisorScript } from '../supervisor.ts';
import { seccompProfileFile } from './seccomp-profile.ts';

/** What containers of an engine are made of. */
export interface EngineSettings {
  readonly engine: 'podman' | 'docker';
  /** With its digest, so that it cannot change. */
  readonly image: string;
  /** Such as `runsc`, which has a kernel of its own. */
  readonly runtime?: string | undefined;
  readonly limits: SandboxLimits;
}

/** Milliseconds; the first container of an image may have to be unpacked. */
const startTime = 60_000;
const small = 16 * 1024 * 1024;

/** Containers of podman or docker, by their command lines (docs/spec/sandbox.md#podman-and-docker). */
export class EngineDriver implements SandboxDriver {
  readonly name: string;
  readonly #settings: EngineSettings;

  constructor(settings: EngineSettings) {
    this.name = settings.engine;
    this.#settings = settings;
  }

  async create(): Promise<SandboxContainer> {
    const { engine, limits } = this.#settings;
    const name = `headgate-${randomBytes(8).toString('hex')}`;
    const child = spawn(engine, [...runArguments(name, this.#settings), supervisorScript(limits)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd: '/',
      env: environmentOf(engine),
    });
    const tell = (...words: string[]) =>
      spawn(engine, words, { stdio: 'ignore', cwd: '/', env: environmentOf(engine) }).once(
        'error',
        () => undefined,
      );
    let isEnded = false;
    child.once('close', () => {
      isEnded = true;
    });
    return startSupervised({
      child,
      startTime,
      explain: (said, code) =>
        code === 'ENOENT' ? `${engine} is not installed` : said === '' ? undefined : `${engine}: ${said}`,
      stop: () => void tell('kill', '--signal', 'USR1', name),
      kill() {
        if (!isEnded) tell('kill', '--signal', 'KILL', name);
      },
    });
  }

  probe(): Promise<SandboxReport> {
    const { runtime, limits } = this.#settings;
    const others = [
      'one processor',
      'memory of all processes and files, by the engine',
      ...(runtime === undefined ? [] : [`the runtime ${runtime}`]),
    ];
    return probeLimits(() => this.create(), limits, others);
  }
}

function runArguments(name: string, { image, runtime, limits }: EngineSettings): readonly string[] {
  const { memory, disk, processes } = limits;
  // The system counts processes by user, so containers share none; rootless engines map this many.
  const user = 2_000 + randomInt(60_000);
  return [
    ...[
      'run',
      '--interactive',
      '--rm',
      '--name',
      name,
      '--pull',
      'never',
      '--network',
      'none',
      '--read-only',
    ],
    ...['--user', `${user}:${user}`, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--security-opt', `seccomp=${seccompProfileFile()}`],
    // Those of the supervisor and of the engine's own count too.
    ...['--pids-limit', String(processes + 16), '--memory', String(memory + disk), '--cpus', '1'],
    ...['--memory-swap', String(memory + disk), '--shm-size', String(small), '--hostname', 'sandbox'],
    ...['--tmpfs', `/work:rw,exec,nosuid,nodev,mode=1777,size=${disk}`],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,mode=1777,size=${small}`, '--workdir', '/work'],
    ...['--env', 'HOME=/work', '--env', 'LANG=C.UTF-8', '--env', 'PATH=/usr/bin:/bin'],
    // Engines would raise these, which not every system lets them.
    ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096'],
    ...(runtime === undefined ? [] : ['--runtime', runtime]),
    ...['--entrypoint', '/bin/bash', image, '--norc', '--noprofile', '-c'],
  ];
}

/** What an engine needs of this process's environment; nothing of it gets into a container. */
function environmentOf(engine: EngineSettings['engine']): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', engine === 'docker' ? 'DOCKER_HOST' : 'CONTAINERS_CONF'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
