import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { probeLimits } from '../probe-limits.ts';
import type { SandboxContainer, SandboxDriver, SandboxLimits, SandboxReport } from '../sandbox-driver.ts';
import { hasFilter, seccompFilter } from '../seccomp-filter.ts';
import { startSupervised } from '../start-supervised.ts';
import { supervisorScript } from '../supervisor.ts';
import { type MemoryGroup, MemoryGroups } from './memory-groups.ts';

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

/** Containers of Linux namespaces, without an engine (docs/spec/sandbox.md#bubblewrap). */
export class BubblewrapDriver implements SandboxDriver {
  readonly name = 'bubblewrap';
  readonly #settings: () => BubblewrapSettings;
  readonly #findGroups: () => Pick<MemoryGroups, 'make'> | undefined;
  #found: { readonly groups: Pick<MemoryGroups, 'make'> | undefined } | undefined;
  #made = 0;

  /** @param findGroups What makes groups in which the kernel limits memory; finds nothing where that is not possible. */
  constructor(
    settings: () => BubblewrapSettings,
    findGroups: () => Pick<MemoryGroups, 'make'> | undefined = MemoryGroups.find,
  ) {
    this.#settings = settings;
    this.#findGroups = findGroups;
  }

  /** Looked for once, before the first container. */
  get #groups(): Pick<MemoryGroups, 'make'> | undefined {
    this.#found ??= { groups: this.#findGroups() };
    return this.#found.groups;
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
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
    });
    const first = new FirstProcess(child, limits.memory);
    const stdio: readonly unknown[] = child.stdio;
    (stdio[descriptors.filter] as Writable).end(seccompFilter(arch));
    (stdio[descriptors.passwd] as Writable).end(passwd);
    first.readPid(stdio[descriptors.info] as Readable);
    const container = await startSupervised({
      child,
      startTime,
      explain,
      stop: () => first.signal('SIGUSR1'),
      kill: () => first.signal('SIGKILL'),
      watch: (onTooMuch) => first.watch(onTooMuch),
    });
    try {
      // Nothing was run there so far.
      if (this.#groups !== undefined) await first.join(this.#groups.make(limits.memory + limits.disk));
      return container;
    } catch (thrown) {
      await container.destroy();
      throw thrown;
    }
  }

  probe(): Promise<SandboxReport> {
    const byGroup = 'memory of all processes and files, by a control group';
    return probeLimits(
      () => this.create(),
      this.#settings().limits,
      () => [
        [true, 'one processor', ''],
        [true, 'memory of all processes, by a look four times a second', ''],
        ...(this.#groups === undefined ? [] : ([[true, byGroup, '']] as const)),
      ],
    );
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

function explain(said: string, code: number | string | null): string | undefined {
  if (code === 'ENOENT') return 'taskset is not installed (Debian package util-linux)';
  return code === 127 && /bwrap/.test(said)
    ? 'bwrap is not installed (Debian package bubblewrap)'
    : undefined;
}

/** The first process of a container, as this machine numbers it. */
class FirstProcess {
  readonly #child: ChildProcess;
  readonly #memory: number;
  readonly #known = Promise.withResolvers<void>();
  #pid: number | undefined;
  #hasEnded = false;

  constructor(child: ChildProcess, memory: number) {
    this.#child = child;
    this.#memory = memory;
    child.once('close', () => {
      this.#hasEnded = true;
      this.#known.resolve();
    });
  }

  /** Learns its number of bubblewrap, which ends where nobody reads all it says. */
  readPid(info: Readable): void {
    let text = '';
    info.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, pid] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
      if (pid === undefined) return;
      this.#pid = Number(pid);
      this.#known.resolve();
    });
  }

  signal(name: 'SIGKILL' | 'SIGUSR1'): void {
    if (name === 'SIGKILL') this.#child.kill(name);
    if (this.#pid === undefined || this.#hasEnded) return;
    try {
      process.kill(this.#pid, name);
    } catch {
      // It has just ended.
    }
  }

  /** Moves it into a group, which is removed when it ends. @throws Error where that is not possible. */
  async join(group: MemoryGroup): Promise<void> {
    this.#child.once('close', () => void group.remove());
    // It is ready to take commands, but what bubblewrap says of it may not have been read.
    await this.#known.promise;
    if (this.#hasEnded) void group.remove();
    if (this.#pid === undefined) throw new Error('bubblewrap did not say which process it made');
    group.add(this.#pid);
  }

  watch(onTooMuch: () => void): () => void {
    return this.#pid === undefined ? () => {} : new MemoryWatch(this.#pid, this.#memory).watch(onTooMuch);
  }
}

const pause = 250;
const mostProcesses = 512;
const pageSize = 4096;

/** Watches the memory of a process and of all below it. */
class MemoryWatch {
  readonly #pid: number;
  readonly #most: number;

  /** @param most Bytes. */
  constructor(pid: number, most: number) {
    this.#pid = pid;
    this.#most = most;
  }

  /** Looks four times a second, and calls once it is too much. Returns what ends the watch. */
  watch(onTooMuch: () => void): () => void {
    let isOver = false;
    let timer = setTimeout(look, pause);
    const { sum, most } = { sum: () => this.#sum(), most: this.#most };
    async function look(): Promise<void> {
      const bytes = await sum().catch(() => 0);
      if (isOver) return;
      if (bytes > most) onTooMuch();
      else timer = setTimeout(look, pause);
    }
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  async #sum(): Promise<number> {
    let bytes = 0;
    const waiting = [this.#pid];
    for (let seen = 0; seen < mostProcesses; seen += 1) {
      const pid = waiting.pop();
      if (pid === undefined) break;
      const [children = '', statm = ''] = await Promise.all([
        readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''),
      ]);
      const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
      bytes += Math.max(0, resident - shared) * pageSize;
      waiting.push(...children.trim().split(' ').filter(Boolean).map(Number));
    }
    return bytes;
  }
}

/** The file descriptors that a container has besides the usual three. */
const descriptors = { filter: 3, info: 4, passwd: 5 } as const;

/** The user in a container. */
const passwd = 'user:x:1000:1000:user:/work:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n';

const systemLinks = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const small = 16 * 1024 * 1024;

/**
 * The arguments of bubblewrap for a container (docs/spec/sandbox.md#bubblewrap).
 * @param root A directory with the programs that commands may run; undefined for those of this machine.
 */
function bubblewrapArguments(root: string | undefined, limits: SandboxLimits): readonly string[] {
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--as-pid-1', '--clearenv'],
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
    ...(root === undefined ? ofThisMachine() : ofRoot(root)),
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    ...['--size', String(small), '--tmpfs', '/dev/shm'],
    ...['--size', String(limits.disk), '--tmpfs', '/work', '--dir', '/work/.tmp'],
    ...['--symlink', '/work/.tmp', '/tmp', '--symlink', '/work/.tmp', '/var/tmp', '--remount-ro', '/'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/work', '--setenv', 'LANG', 'C.UTF-8'],
    ...['--setenv', 'TMPDIR', '/tmp', '--setenv', 'USER', 'user'],
    ...['--chdir', '/work', '--info-fd', String(descriptors.info), '--seccomp', String(descriptors.filter)],
  ];
}

/** The programs of this machine, without what people have installed beside its packages. */
function ofThisMachine(): readonly string[] {
  const links = systemLinks.flatMap((name) => {
    const path = `/${name}`;
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path];
  });
  return [
    ...['--ro-bind', '/usr', '/usr', ...links],
    ...['--tmpfs', '/usr/local', '--remount-ro', '/usr/local'],
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--ro-bind-data', String(descriptors.passwd), '/etc/passwd', '--dir', '/var'],
  ];
}

/** Each folder of a root, so that the places for files can be made beside them. */
function ofRoot(root: string): readonly string[] {
  const own = new Set(['proc', 'sys', 'dev', 'work', 'tmp', 'var', 'run']);
  const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    if (own.has(entry.name)) return [];
    const path = join(root, entry.name);
    return entry.isSymbolicLink()
      ? ['--symlink', readlinkSync(path), `/${entry.name}`]
      : ['--ro-bind', path, `/${entry.name}`];
  });
  return [...folders, '--dir', '/var'];
}
