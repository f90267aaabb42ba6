import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxLimits } from '../sandbox-driver.ts';

/** The file descriptors that a container has besides the usual three. */
export const descriptors = { filter: 3, info: 4, passwd: 5 } as const;

/** The user in a container. */
export const passwd = 'user:x:1000:1000:user:/work:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n';

const systemLinks = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const small = 16 * 1024 * 1024;

/**
 * The arguments of bubblewrap for a container (docs/spec/sandbox.md#bubblewrap).
 * @param root A directory with the programs that commands may run; undefined for those of this machine.
 */
export function bubblewrapArguments(root: string | undefined, limits: SandboxLimits): readonly string[] {
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
