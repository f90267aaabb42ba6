import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** What the names of all containers begin with. */
export const namePrefix = 'headgate-';

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
