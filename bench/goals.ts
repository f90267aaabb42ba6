import type { Figure } from './figures.ts';

/** A goal for a figure of Headgate. */
export interface Goal {
  /** The number of the figure that it concerns. */
  readonly of: 'ratio' | 'subject' | 'difference';
  readonly limit: number;
}

/** The project's goals, by the key of the figure. */
const goals: ReadonlyMap<string, Goal> = new Map([
  ['unstreamed.requests_per_second', { of: 'ratio', limit: 0.6 }],
  ['streamed.requests_per_second', { of: 'ratio', limit: 0.6 }],
  ['latency.half_load.p50', { of: 'subject', limit: 0.3 }],
  ['latency.half_load.p99', { of: 'subject', limit: 1.5 }],
  ['memory.resident_megabytes', { of: 'subject', limit: 400 }],
  ['dialects.unstreamed.cpu_microseconds_per_request', { of: 'ratio', limit: 1.05 }],
  ['dialects.streamed.cpu_microseconds_per_request', { of: 'ratio', limit: 1.05 }],
  ['scale.models.cpu_microseconds_per_request', { of: 'ratio', limit: 1.1 }],
  ['scale.keys.cpu_microseconds_per_request', { of: 'ratio', limit: 1.1 }],
  ['scale.keys_all_in_use.cpu_microseconds_per_request', { of: 'ratio', limit: 1.1 }],
  ['engines.alone.p50', { of: 'difference', limit: 0.4 }],
  ['engines.half_load.p50', { of: 'difference', limit: 0.4 }],
  ['viewers.requests_per_second', { of: 'ratio', limit: 0.97 }],
  ['viewers.half_load.p99', { of: 'ratio', limit: 1.1 }],
  ['processes.requests_per_second', { of: 'ratio', limit: 1.8 }],
  ['processes.capacity', { of: 'ratio', limit: 1.8 }],
]);

/** A goal and whether it was reached. */
export interface Verdict extends Goal {
  readonly reached: number;
  readonly met: boolean;
}

/** Compares a figure with its goal, a ratio by the better end of its interval; undefined when it has none, or nothing was measured. */
export function judge(figure: Figure): Verdict | undefined {
  const goal = goals.get(figure.key);
  if (goal === undefined) return undefined;
  const reached = {
    ratio: figure.interval?.[figure.better === 'higher' ? 1 : 0] ?? figure.ratio,
    subject: figure.subject,
    difference: figure.subject - figure.yardstick,
  }[goal.of];
  if (!Number.isFinite(reached)) return undefined;
  return {
    ...goal,
    reached,
    met: figure.better === 'higher' ? reached >= goal.limit : reached <= goal.limit,
  };
}
