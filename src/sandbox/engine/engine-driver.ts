import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ControlGroup, controlGroupOf } from '../cgroups.ts';
import { deniedCalls } from '../denied-calls.ts';
import { type LimitCheck, probeLimits } from '../probe-limits.ts';
import type { SandboxContainer, SandboxDriver, SandboxLimits, SandboxReport } from '../sandbox-driver.ts';
import { startSupervised } from '../start-supervised.ts';
import { supervisorScript } from '../supervisor.ts';

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

/** What the names of all containers begin with. */
const namePrefix = 'headgate-';

const form = /^headgate-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]+$/;

/**
 * A name for a container of this process. It says which process made it: where processes are numbered as here, its number and
 * when it began.
 */
export function newContainerName(): string {
  return `${namePrefix}${numbering()}-${process.pid}-${beganAt(process.pid) ?? 0}-${randomBytes(8).toString('hex')}`;
}

/**
 * Whether the process that made a container has ended. False for names of others, and for processes that are numbered
 * elsewhere, because these cannot be seen from here.
 */
export function isLeftBehind(name: string): boolean {
  const [, where, pid, began] = form.exec(name) ?? [];
  if (where !== numbering() || pid === undefined) return false;
  return String(beganAt(Number(pid)) ?? '') !== began;
}

/** Names this run of the machine and the namespace of this process's number. */
function numbering(): string {
  const boot = existsSync('/proc/sys/kernel/random/boot_id')
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid')
    : 'elsewhere';
  return createHash('sha256').update(boot).digest('hex').slice(0, 8);
}

/** When a process began, in ticks since the machine did; undefined where there is none of that number. */
function beganAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes before it, in brackets, and may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** What a control group lets its processes have; undefined where that is unknown. */
interface GroupLimits {
  /** Bytes. */
  readonly memory: number | undefined;
  readonly processors: number | undefined;
}

/** The limits of a process, as this machine sees it. */
function groupLimitsOf(pid: number): GroupLimits {
  const memory = controlGroupOf('memory', pid);
  const cpu = controlGroupOf('cpu', pid);
  return {
    memory: memory && readMemory(read(memory, 'memory.max', 'memory.limit_in_bytes')),
    processors:
      cpu &&
      readProcessors(read(cpu, 'cpu.max', 'cpu.cfs_quota_us', 'cpu.cfs_period_us').replace(/\s+/, '/')),
  };
}

/** Reads a limit as the kernel writes it; `max` is none. */
export function readMemory(text: string): number | undefined {
  if (text.trim() === 'max') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/** Reads `quota/period`; `max` and -1 are none. */
export function readProcessors(text: string): number | undefined {
  const [quota = '', period = ''] = text.trim().split('/');
  if (quota === 'max' || quota === '-1') return Number.POSITIVE_INFINITY;
  return Number(quota) > 0 && Number(period) > 0 ? Number(quota) / Number(period) : undefined;
}

function read({ version, folder }: ControlGroup, second: string, ...first: readonly string[]): string {
  const names = version === 2 ? [second] : first;
  try {
    return names.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join(' ');
  } catch {
    return '';
  }
}

const notPermitted = 1;
const notThere = 38;
/** Flags of `clone` that make namespaces, one by one. */
const namespaceFlags = [
  0x80, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
];
/** The last family of sockets that containers may have; those between are not there any more. */
const lastFamily = 10;

const refused = (names: readonly string[], more: object = {}) => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet: notPermitted,
  ...more,
});

/** The filter of system calls as engines read it: the same as that of bubblewrap. */
function seccompProfile(): string {
  const clones = namespaceFlags.map((flag) =>
    refused(['clone'], { args: [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }] }),
  );
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [process.arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      refused(Object.keys(deniedCalls)),
      ...clones,
      refused(['clone3'], { errnoRet: notThere }),
      refused(['socket'], { args: [{ index: 0, value: lastFamily, op: 'SCMP_CMP_GT' }] }),
    ],
  });
}

let made: string | undefined;

/** A file with the filter, for the command line of an engine; in a folder of this process, where nobody else can put another. */
function seccompProfileFile(): string {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'headgate-seccomp-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'profile.json');
  writeFileSync(path, seccompProfile(), { mode: 0o600 });
  made = path;
  return path;
}
