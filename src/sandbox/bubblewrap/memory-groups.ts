import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlGroupOf } from '../cgroups.ts';

const prefix = 'headgate-';
/** How often a group is tried to be removed whose processes are ending. */
const mostTries = 40;
/** Milliseconds. */
const pause = 50;

/** The names of the kernel's files, by the version of its interface. */
const files = {
  1: { limit: 'memory.limit_in_bytes', swap: 'memory.memsw.limit_in_bytes' },
  2: { limit: 'memory.max', swap: 'memory.swap.max' },
} as const;

/**
 * Makes groups in which the kernel limits the memory of all processes together, with the files that they keep in memory
 * (docs/spec/sandbox.md#limits).
 */
export class MemoryGroups {
  readonly #version: 1 | 2;
  readonly #folder: string;
  #made = 0;

  private constructor(version: 1 | 2, folder: string) {
    this.#version = version;
    this.#folder = folder;
  }

  /** Undefined where this process may make no groups. */
  static find(): MemoryGroups | undefined {
    const own = controlGroupOf('memory', 'self');
    if (own === undefined) return undefined;
    const { version, folder, mount } = own;
    // Of the second version a group with processes has no groups below it that limit memory, so a service has them beside it.
    const places = version === 1 || folder === mount ? [folder] : [folder, dirname(folder)];
    for (const place of places) {
      const groups = new MemoryGroups(version, place);
      if (groups.#works()) return groups;
    }
    return undefined;
  }

  /** Makes a group. @throws Error where the kernel refuses it. */
  make(bytes: number): MemoryGroup {
    this.#made += 1;
    const folder = join(this.#folder, `${prefix}${process.pid}-${this.#made}`);
    mkdirSync(folder);
    const group = new MemoryGroup(folder);
    try {
      const { limit, swap } = files[this.#version];
      writeExisting(join(folder, limit), String(bytes));
      if (existsSync(join(folder, swap)))
        writeExisting(join(folder, swap), this.#version === 1 ? String(bytes) : '0');
      // The kernel rounds down to whole pages.
      const held = Number(readFileSync(join(folder, limit), 'utf8'));
      if (!(held <= bytes)) throw new Error(`the kernel limits memory to ${held} bytes instead of ${bytes}`);
      return group;
    } catch (thrown) {
      void group.remove();
      throw thrown;
    }
  }

  #works(): boolean {
    try {
      if (this.#version === 2) this.#enable();
      this.#removeLeft();
      void this.make(1024 * 1024).remove();
      return true;
    } catch {
      return false;
    }
  }

  #enable(): void {
    const file = join(this.#folder, 'cgroup.subtree_control');
    if (!readFileSync(file, 'utf8').split(/\s+/).includes('memory')) writeExisting(file, '+memory');
  }

  /** Removes groups of processes that were killed. */
  #removeLeft(): void {
    for (const name of readdirSync(this.#folder)) {
      const [, pid] = new RegExp(`^${prefix}(\\d+)-\\d+$`).exec(name) ?? [];
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
      try {
        rmdirSync(join(this.#folder, name));
      } catch {
        // It still has processes, or is not ours.
      }
    }
  }
}

/** A group for one container. */
export class MemoryGroup {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Moves a process into it; those that it makes later are in it too. @throws Error where the kernel refuses it. */
  add(pid: number): void {
    writeExisting(join(this.folder, 'cgroup.procs'), String(pid));
  }

  /** Removes it once its processes have ended. Never fails. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      try {
        rmdirSync(this.folder);
        return;
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'EBUSY') return;
      }
      await sleep(pause);
    }
  }
}

/** Writes to a file of the kernel, which must be there. */
function writeExisting(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'r+' });
}
