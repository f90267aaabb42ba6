import { type ChildProcess, spawnSync } from 'node:child_process';
import { availableParallelism, getPriority, setPriority } from 'node:os';

/** Whether processes can be bound to processors here. */
export const canPin: boolean = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The processor of the server under attack; everything else has the other ones. */
export const serverCore = '0';

/** How much an attack gives way to the server and its other clients, as the system counts. */
const deference = 10;

/** What the server does to others is measured, not how it shares a processor with the attack or with other work. */
export function giveWay(): void {
  setPriority(getPriority() + deference);
}

/**
 * Leaves the processor of the server to it: this process and all it starts from now on run on the others, before other
 * work where the system allows it.
 */
export function leaveServerCore(): void {
  try {
    setPriority(-15);
  } catch {
    // Only for the administrator.
  }
  const others = `1-${availableParallelism() - 1}`;
  if (canPin) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', others, String(process.pid)]);
}

const running = new Set<ChildProcess>();
const killAll = () => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Makes a process end with this one at the latest. Returns it. */
export function endWithUs(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
