import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlGroup, controlGroupOf } from '../cgroups.ts';

/** What a control group lets its processes have; undefined where that is unknown. */
export interface GroupLimits {
  /** Bytes. */
  readonly memory: number | undefined;
  readonly processors: number | undefined;
}

/** The limits of a process, as this machine sees it. */
export function groupLimitsOf(pid: number): GroupLimits {
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
