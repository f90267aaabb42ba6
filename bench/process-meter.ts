import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** How busy processes were between two moments, from the kernel's own accounts. */
export interface CpuUse {
  readonly wallSeconds: number;
  /** CPU seconds of the gateway with all its threads; undefined when its process id is not known. */
  readonly gatewaySeconds: number | undefined;
  /** CPU seconds of upstream and load generator together. */
  readonly loadSeconds: number;
  /** CPU seconds everybody else on this machine used, including a gateway whose process is not known. */
  readonly otherSeconds: number;
}

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK']).stdout?.toString() ?? '') || 100;
const pageBytes = Number(spawnSync('getconf', ['PAGESIZE']).stdout?.toString() ?? '') || 4096;

/** Starts measuring; the function it returns ends it. */
export function meterCpu(gatewayPid: number | undefined, loadPids: readonly number[]): () => CpuUse {
  const read = () => ({
    wall: performance.now() / 1000,
    gateway: gatewayPid === undefined ? undefined : cpuSeconds(gatewayPid),
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

/** CPU time a process used so far, all threads, user and system. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name may hold spaces, so fields count from the closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** CPU time used on all cores together, by anybody. */
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
