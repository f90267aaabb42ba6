import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A group of processes whose use of something the kernel limits. */
export interface ControlGroup {
  /** Of the interface: files of the second version have other names. */
  readonly version: 1 | 2;
  readonly folder: string;
  /** Where its hierarchy is mounted. */
  readonly mount: string;
}

interface Mount {
  /** The group that the mount shows as its top. */
  readonly root: string;
  readonly place: string;
  readonly type: string;
  readonly options: readonly string[];
}

/**
 * The group of a process for a controller; undefined where the kernel has none, or this process cannot see it.
 * @param pid Also `self`.
 */
export function controlGroupOf(controller: 'memory' | 'cpu', pid: number | 'self'): ControlGroup | undefined {
  try {
    const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
    return findGroup(controller, groups, mounts);
  } catch {
    return undefined;
  }
}

/** The same, by the contents of `cgroup` and `mountinfo` in `/proc`. */
export function findGroup(controller: string, groups: string, mounts: string): ControlGroup | undefined {
  const read = mounts.split('\n').flatMap(readMount);
  for (const line of groups.split('\n')) {
    const [number = '', names = '', ...rest] = line.split(':');
    const path = rest.join(':');
    const version = number === '0' && names === '' ? 2 : 1;
    if (version === 1 && !names.split(',').includes(controller)) continue;
    const found = read.find(
      ({ type, options, root }) =>
        (version === 2 ? type === 'cgroup2' : type === 'cgroup' && options.includes(controller)) &&
        isBelow(path, root),
    );
    if (found === undefined) continue;
    const folder = join(found.place, found.root === '/' ? path : path.slice(found.root.length));
    if (version === 2 && !hasController(folder, controller)) continue;
    return { version, folder, mount: found.place };
  }
  return undefined;
}

function readMount(line: string): readonly Mount[] {
  const [about = '', kind = ''] = line.split(' - ');
  const [, , , root, place] = about.split(' ');
  const [type, , options = ''] = kind.split(' ');
  if (root === undefined || place === undefined || type === undefined) return [];
  return [{ root, place, type, options: options.split(',') }];
}

function isBelow(path: string, root: string): boolean {
  return root === '/' || path === root || path.startsWith(`${root}/`);
}

function hasController(folder: string, controller: string): boolean {
  const file = join(folder, 'cgroup.controllers');
  return existsSync(file) && readFileSync(file, 'utf8').trim().split(' ').includes(controller);
}
