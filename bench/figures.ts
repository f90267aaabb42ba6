import { median } from './statistics.ts';

/** One line of the report: the same thing measured at two or three sides in the same run. */
export interface Figure {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly yardstick: number;
  readonly subject: number;
  /** Subject divided by yardstick. */
  readonly ratio: number;
  /** A third side measured in the same turns, and its own ratio to the yardstick. */
  readonly third?: { readonly value: number; readonly ratio: number };
}

/** Measured at two or three sides, round by round. */
export interface Rounds {
  readonly yardstick: readonly number[];
  readonly subject: readonly number[];
  readonly third?: readonly number[] | undefined;
}

/**
 * Medians of what was measured in turns. A ratio is the median of each round's own, because the phases of
 * a round meet about the same noise; it need not be the quotient of the medians.
 */
export function compareRounds({
  yardstick,
  subject,
  third,
}: Rounds): Pick<Figure, 'yardstick' | 'subject' | 'ratio' | 'third'> {
  const ratio = (side: readonly number[]) =>
    median(side.map((value, round) => value / (yardstick[round] ?? Number.NaN)));
  return {
    yardstick: median(yardstick),
    subject: median(subject),
    ratio: ratio(subject),
    ...(third === undefined ? {} : { third: { value: median(third), ratio: ratio(third) } }),
  };
}

/** What a part compares: the heads of its columns. */
export interface Sides {
  readonly yardstick: string;
  readonly subject: string;
  readonly third?: string | undefined;
}

/** What one part of a run found. */
export interface PartResult {
  readonly sides: Sides;
  readonly figures: readonly Figure[];
  /** Everything measured, phase by phase, for the JSON report. */
  readonly phases: readonly object[];
  /** Sentences a reader of the figures must know. */
  readonly notes: readonly string[];
}
