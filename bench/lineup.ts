import type { Rounds, Sides } from './figures.ts';
import type { RunningGateway } from './gateways.ts';

/** The gateways that a part measures in turns. */
export interface Lineup {
  readonly yardstick: RunningGateway;
  readonly subject: RunningGateway;
  readonly third?: RunningGateway | undefined;
}

/** All of them, in the order of their turns. */
export function members({ yardstick, subject, third }: Lineup): readonly RunningGateway[] {
  return third === undefined ? [yardstick, subject] : [yardstick, subject, third];
}

/** Their names, for the column headings. */
export function sidesOf(lineup: Lineup): Sides {
  const { yardstick, subject, third } = lineup;
  return { yardstick: yardstick.name, subject: subject.name, third: third?.name };
}

/** The measurements of each member, in the order of `members`, as rounds to compare. */
export function roundsOf<Phase>(
  [yardstick = [], subject = [], third]: readonly (readonly Phase[])[],
  value: (phases: readonly Phase[]) => readonly number[],
): Rounds {
  return { yardstick: value(yardstick), subject: value(subject), third: third && value(third) };
}
