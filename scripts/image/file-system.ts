import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** How to run a program in a file system. */
export interface RunOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As container engines run a production container: only this folder, mounted at /data, is writable. */
  readonly data?: string;
  /** Default root. */
  readonly user?: number;
}

/**
 * An overlay file system over another one, which replaces a base image: programs run in it as in a container, using
 * the kernel directly, and their writes end up in `changes`. Needs root on Linux.
 */
export class FileSystem {
  /** Everything that differs from the base; files put there by hand are visible to the next run. */
  readonly changes: string;
  readonly #base: string;
  readonly #work: string;
  readonly #mount: string;

  /** @param base The lower file system; by default this machine's own. */
  constructor(folder: string, base = '/') {
    this.#base = base;
    [this.changes, this.#work, this.#mount] = [
      join(folder, 'changes'),
      join(folder, 'work'),
      join(folder, 'mount'),
    ];
    for (const each of [this.changes, this.#work, this.#mount]) mkdirSync(each, { recursive: true });
  }

  /** Runs a program to its end. Throws when it fails. */
  run(command: readonly string[], options: RunOptions): string {
    const [file = '', ...args] = this.#commandLine(command, options);
    return execFileSync(file, args, {
      env: options.environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Starts a program as process 1 of a new process namespace. */
  start(command: readonly string[], options: RunOptions): ChildProcess {
    const [file = '', ...args] = this.#commandLine(command, options);
    return spawn(file, args, { env: options.environment, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  #commandLine(command: readonly string[], { directory, data, user }: RunOptions): readonly string[] {
    const mount = quote(this.#mount);
    const script = [
      `mount -t overlay overlay -o lowerdir=${quote(this.#base)},upperdir=${quote(this.changes)},workdir=${quote(this.#work)} ${mount}`,
      `mkdir -p ${mount}/proc ${mount}/dev && mount -t proc proc ${mount}/proc && mount --rbind /dev ${mount}/dev`,
      ...(data === undefined
        ? []
        : [`mount --bind ${quote(data)} ${mount}/data`, `mount -o remount,ro ${mount}`]),
      `exec chroot ${mount} ${setpriv(user)} sh -c ${quote(`cd ${quote(directory)} && exec "$@"`)} sh ${command.map(quote).join(' ')}`,
    ].join(' && ');
    return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script];
  }
}

function setpriv(user: number | undefined): string {
  if (user === undefined) return '';
  const identity = `--reuid=${user} --regid=${user} --clear-groups`;
  return `setpriv ${identity} --no-new-privs --bounding-set=-all --inh-caps=-all`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
