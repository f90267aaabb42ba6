import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { type LimitCheck, probeLimits } from '../probe-limits.ts';
import type { SandboxContainer, SandboxDriver, SandboxLimits, SandboxReport } from '../sandbox-driver.ts';
import { startSupervised } from '../start-supervised.ts';
import { supervisorScript } from '../supervisor.ts';
import { isLeftBehind, namePrefix, newContainerName } from './container-names.ts';
import { type GroupLimits, groupLimitsOf, readMemory, readProcessors } from './group-limits.ts';
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

  create(): Promise<SandboxContainer> {
    return this.#start(newContainerName());
  }

  async #start(name: string): Promise<SandboxContainer> {
    const { engine, limits } = this.#settings;
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

  async endLeftBehind(): Promise<void> {
    const names = await this.#ask('ps', '--filter', `name=${namePrefix}`, '--format', '{{.Names}}');
    const left = names.split('\n').filter(isLeftBehind);
    if (left.length > 0) await this.#ask('kill', '--signal', 'KILL', ...left);
  }

  probe(): Promise<SandboxReport> {
    const { engine, runtime, limits } = this.#settings;
    const name = newContainerName();
    let outside: GroupLimits | undefined;
    const create = async () => {
      const container = await this.#start(name);
      outside = await this.#lookAt(name);
      return container;
    };
    return probeLimits(create, limits, (get) => {
      const seen: GroupLimits = {
        memory: readMemory(get('group-memory')) ?? outside?.memory,
        processors: readProcessors(get('group-processors')) ?? outside?.processors,
      };
      return [
        ...groupChecks(engine, limits.memory + limits.disk, seen),
        ...(runtime === undefined ? [] : ([[true, `the runtime ${runtime}`, '']] as const)),
      ];
    });
  }

  /** The limits of a container's first process, where this machine runs it. */
  async #lookAt(name: string): Promise<GroupLimits | undefined> {
    const pid = await this.#ask('inspect', '--format', '{{.State.Pid}}', name).catch(() => '');
    return Number(pid) > 0 ? groupLimitsOf(Number(pid)) : undefined;
  }

  async #ask(...words: string[]): Promise<string> {
    const { engine } = this.#settings;
    const options = { cwd: '/', env: environmentOf(engine), timeout: startTime };
    return (await promisify(execFile)(engine, words, options)).stdout;
  }
}

/** Rootless engines ignore limits that they cannot set, so these are looked at too. */
function groupChecks(engine: string, memory: number, seen: GroupLimits): readonly LimitCheck[] {
  const advice = `give ${engine} control groups of version 2 with the controllers cpu and memory, or use bubblewrap`;
  return [
    [
      seen.memory !== undefined && seen.memory <= memory,
      'memory of all processes and files, by the engine',
      `${engine} does not limit the memory of a container to ${memory} bytes; ${advice}`,
    ],
    [
      seen.processors !== undefined && seen.processors <= 1,
      'one processor',
      `${engine} does not limit a container to one processor; ${advice}`,
    ],
  ];
}

function runArguments(name: string, { engine, image, runtime, limits }: EngineSettings): readonly string[] {
  const { memory, disk, processes } = limits;
  // The system counts processes by user, so containers share none; rootless engines map this many.
  const user = 2_000 + randomInt(60_000);
  // Docker makes the folder of the mount itself and gives the mount its mode; podman knows no owner.
  const owner = engine === 'docker' ? `,uid=${user},gid=${user}` : '';
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
    ...['--tmpfs', `/work:rw,exec,nosuid,nodev,mode=1777,size=${disk}${owner}`],
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
