import { cpuCosts, type Phase, rates } from './drive.ts';
import { compareRounds, type Figure } from './figures.ts';
import { roundsOf } from './lineup.ts';

/**
 * The requests per second of each side, and the CPU time of one.
 * @param key The prefix of the keys of both figures.
 * @param what Which requests, for the labels.
 * @param phases Of each side, in the order of `members`.
 */
export function requestFigures(
  key: string,
  what: string,
  phases: readonly (readonly Phase[])[],
): readonly Figure[] {
  return [
    {
      key: `${key}.requests_per_second`,
      label: `requests, ${what}`,
      unit: 'requests/s',
      better: 'higher',
      ...compareRounds(roundsOf(phases, rates)),
    },
    {
      key: `${key}.cpu_microseconds_per_request`,
      label: `gateway CPU per request, ${what}`,
      unit: 'µs',
      better: 'lower',
      ...compareRounds(roundsOf(phases, cpuCosts)),
    },
  ];
}
