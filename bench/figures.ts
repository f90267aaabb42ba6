import { median } from './statistics.ts';

/** One line of the report: the same thing measured at both gateways in the same run. */
export interface Figure {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly yardstick: number;
  readonly subject: number;
  /** Subject divided by yardstick. */
  readonly ratio: number;
}

/**
 * Medians of what was measured in turns. The ratio is the median of each round's own, because both phases of
 * a round meet about the same noise; it need not be the quotient of the medians.
 */
export function compareRounds(
  yardstick: readonly number[],
  subject: readonly number[],
): Pick<Figure, 'yardstick' | 'subject' | 'ratio'> {
  return {
    yardstick: median(yardstick),
    subject: median(subject),
    ratio: median(subject.map((value, round) => value / (yardstick[round] ?? Number.NaN))),
  };
}

/** What one part of a run found. */
export interface PartResult {
  readonly figures: readonly Figure[];
  /** Everything measured, phase by phase, for the JSON report. */
  readonly phases: readonly object[];
  /** Sentences a reader of the figures must know. */
  readonly notes: readonly string[];
}
