import { isClean } from './audit.ts';
import type { ChaosReport } from './run-chaos.ts';

const nameWidth = 36;

/** The report for people. */
export function formatReport(report: ChaosReport): string {
  const { options, limits, longest, requests, complete, upstreamCalls, phases, durations } = report;
  return [
    `${options.minutes} minutes, seed ${options.seed}, ${options.clients} clients, on_failure: ${options.onFailure}${options.sentinels ? ', sentinels' : ''}`,
    `longest ${longest.plain} ms (limit ${limits.plain}), with an idempotency key ${longest.keyed} ms (limit ${limits.keyed})`,
    `${requests} requests, ${complete} complete answers, ${upstreamCalls} calls of the provider`,
    '',
    'Troubles',
    ...counted(report.troubles.map(({ name }) => name)),
    '',
    'Answers by what they met',
    ...Object.entries(phases).map(([phase, kinds]) => {
      const { p99 = 0, longest: most = 0 } = durations[phase] ?? {};
      const counts = Object.entries(kinds)
        .sort()
        .map(([kind, count]) => `${kind}: ${count}`);
      return line(phase, `${counts.join(', ')}; p99 ${Math.round(p99)} ms, longest ${Math.round(most)} ms`);
    }),
    '',
    'Must be none',
    ...Object.entries(findingNames).map(([key, name]) => {
      const found = report.findings[key as keyof typeof findingNames];
      return line(name, found.length === 0 ? '0' : `${found.length}: ${found.slice(0, 5).join('; ')}`);
    }),
    '',
    'Besides',
    ...Object.entries(circumstanceNames).map(([key, name]) =>
      line(name, String(report.circumstances[key as keyof typeof circumstanceNames])),
    ),
    ...Object.entries(report.balances).map(([account, usd]) => line(`USD left to "${account}"`, String(usd))),
    '',
    isClean(report.findings) ? 'OK' : 'BROKEN',
    '',
  ].join('\n');
}

const findingNames = {
  uncharged: 'complete answers uncharged',
  costDiffers: 'cost differs from the answer',
  notTheProviders: "cost differs from the provider's",
  chargedTwice: 'charged twice',
  differences: 'differences in ledger verify',
  held: 'holds after their lease',
  tooLong: 'requests beyond their limit',
} as const;

const circumstanceNames = {
  answeredUncharged: 'provider calls not charged',
  chargedWithoutAnswer: 'charged, but cut off on the way',
  lapsed: 'records closed by another process',
  readAgain: 'answers read again by their key',
  madeTwice: 'keys whose answer was made twice',
} as const;

function counted(names: readonly string[]): readonly string[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, same]) => line(name, String(same.length)))
    .sort();
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(nameWidth)} ${text}`;
}
