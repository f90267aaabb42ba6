import type { SandboxContainer, SandboxLimits, SandboxReport } from './sandbox-driver.ts';

/** One limit: whether it holds, and what to say if it does and if it does not. */
export type LimitCheck = readonly [isHeld: boolean, holds: string, problem: string];

/** Reports about itself from inside a container, a line each. */
const questions = `
echo "user $(id -u)"
echo "processes $(ulimit -u)"
echo "memory $(ulimit -v)"
echo "disk $(df --output=size -B1 /work | tail -n 1 | tr -d ' ')"
echo "network $(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | tr '\\n' ',')"
echo "root $( (: > /probe) 2>/dev/null && echo writable || echo read-only)"
echo "work $( (: > /work/probe && rm /work/probe) 2>/dev/null && echo writable || echo read-only)"
echo "group-memory $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1)"
echo "group-processors $(cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us 2>/dev/null | tr ' \\n' '//')"
grep -E '^(Seccomp|NoNewPrivs|CapEff|CapBnd):' /proc/self/status | tr -d ':' | tr '\\t' ' '
`;

/**
 * Makes a container and checks from inside that every limit holds (docs/spec/sandbox.md#limits). Never fails.
 * @param more What else has to hold, by what the container reports about itself.
 */
export async function probeLimits(
  create: () => Promise<SandboxContainer>,
  limits: SandboxLimits,
  more: (get: (name: string) => string) => readonly LimitCheck[],
): Promise<SandboxReport> {
  try {
    const container = await create();
    try {
      const bounds = { timeout: 10_000, maxOutput: 10_000, signal: AbortSignal.timeout(20_000) };
      const { stdout } = await container.exec(questions, bounds);
      return judge(stdout, limits, more);
    } finally {
      await container.destroy();
    }
  } catch (thrown) {
    return { problems: [thrown instanceof Error ? thrown.message : String(thrown)], holds: [] };
  }
}

function judge(
  said: string,
  limits: SandboxLimits,
  more: (get: (name: string) => string) => readonly LimitCheck[],
): SandboxReport {
  const facts = new Map(said.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
  const get = (name: string) => facts.get(name) ?? '';
  const atMost = (name: string, most: number) => get(name) !== '' && Number(get(name)) <= most;
  const checks: readonly LimitCheck[] = [
    [get('user') !== '0' && get('user') !== '', 'not the root user', 'commands run as root'],
    [
      atMost('processes', limits.processes),
      `${limits.processes} processes`,
      `processes are not limited to ${limits.processes}`,
    ],
    [
      atMost('memory', Math.ceil(limits.memory / 1024)),
      `${limits.memory} bytes of memory a process`,
      `memory is not limited to ${limits.memory} bytes`,
    ],
    [
      atMost('disk', limits.disk),
      `${limits.disk} bytes of files`,
      `files are not limited to ${limits.disk} bytes`,
    ],
    [get('work') === 'writable', 'files in /work', 'files cannot be written in /work'],
    [['', 'lo,'].includes(get('network')), 'no network', `there is a network: ${get('network')}`],
    [get('root') === 'read-only', 'a read-only root', 'the root can be written to'],
    [get('Seccomp') === '2', 'a filter of system calls', 'system calls are not filtered'],
    [get('NoNewPrivs') === '1', 'no new privileges', 'programs may gain privileges'],
    [
      /^0+$/.test(get('CapEff')) && /^0+$/.test(get('CapBnd')),
      'no capabilities',
      'commands have capabilities',
    ],
    ...more(get),
  ];
  return {
    problems: checks.flatMap(([isHeld, , problem]) => (isHeld ? [] : [problem])),
    holds: checks.flatMap(([isHeld, holds]) => (isHeld ? [holds] : [])),
  };
}
