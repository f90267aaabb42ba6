import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** CPU use between two moments, from the kernel's own figures. */
export interface CpuUse {
  readonly wallSeconds: number;
  /** CPU seconds of the gateway, all threads and child processes; undefined when its process is unknown. */
  readonly gatewaySeconds: number | undefined;
  /** CPU seconds of upstream and load generator together. */
  readonly loadSeconds: number;
  /** CPU seconds of all other processes on this machine, including a gateway whose process is unknown. */
  readonly otherSeconds: number;
}

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK']).stdout?.toString() ?? '') || 100;
const pageBytes = Number(spawnSync('getconf', ['PAGESIZE']).stdout?.toString() ?? '') || 4096;

/** Starts measuring; the returned function ends it. */
export function meterCpu(gatewayPid: number | undefined, loadPids: readonly number[]): () => CpuUse {
  const read = () => ({
    wall: performance.now() / 1000,
    gateway: gatewayPid === undefined ? undefined : treeSeconds(gatewayPid),
    load: loadPids.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    machine: machineSeconds(),
  });
  const before = read();
  return () => {
    const after = read();
    const loadSeconds = after.load - before.load;
    const gatewaySeconds =
      before.gateway === undefined || after.gateway === undefined
        ? undefined
        : after.gateway - before.gateway;
    return {
      wallSeconds: after.wall - before.wall,
      gatewaySeconds,
      loadSeconds,
      otherSeconds: Math.max(0, after.machine - before.machine - loadSeconds - (gatewaySeconds ?? 0)),
    };
  };
}

/** CPU time of a process so far, all threads, user and system. */
function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** CPU time of a process and all its descendants. */
function treeSeconds(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + cpuSeconds(member), 0);
}

/** A process and all its living descendants. */
function processTree(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (pid > 0) parents.set(pid, parentOf(pid));
  }
  const tree = [root];
  // The array grows during the loop.
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** 0 for a process that has ended meanwhile. */
function parentOf(pid: number): number {
  try {
    return Number(statFields(pid)[1]);
  } catch {
    return 0;
  }
}

function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name may contain spaces, so fields count from the closing parenthesis.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** CPU time of all cores together. */
function machineSeconds(): number {
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = total
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts) / ticksPerSecond;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
}

/** How many files and sockets a child process may have open. */
export function openFileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  // Node raises its own soft limit to the hard one when it starts.
  const hard = /^Max open files +\S+ +(\S+)/m.exec(limits)?.[1];
  return hard === undefined || hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}
