import { readFileSync, writeFileSync } from 'node:fs';

/** Resident memory of a process in MiB: at this moment, and at its peak since `forgetPeak`. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Resident memory in MiB of each child of a process at this moment, largest first. */
export function childMemory(pid: number): readonly number[] {
  const sizes = childrenOf(pid).map((child) => {
    try {
      // A process that has just ended has no memory.
      return residentMemory(child).now || 0;
    } catch {
      return 0;
    }
  });
  return sizes.toSorted((one, other) => other - one);
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** Lets the peak of a process begin anew. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/**
 * How often the kernel of this machine sent a packet again because nobody had acknowledged it in time, since it started;
 * 0 where it does not say. Attackers that do not read fill its memory for connections; then it drops packets of everybody's, and
 * whoever waits for one waits at least 200 ms, whatever the server does.
 */
export function packetsSentAgain(): number {
  try {
    const [names = [], counts = []] = readFileSync('/proc/net/netstat', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('TcpExt:'))
      .map((line) => line.split(' '));
    return Number(counts[names.indexOf('TCPTimeouts')] ?? 0);
  } catch {
    return 0;
  }
}
