import { median, medianInterval } from './statistics.ts';

/** One line of the report: the same measurement of two or three sides in the same run. */
export interface Figure {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly yardstick: number;
  readonly subject: number;
  /** Subject divided by yardstick. */
  readonly ratio: number;
  /** Between what the ratio lies with 90 % probability; undefined of fewer than five rounds. */
  readonly interval?: readonly [number, number];
  /** A third side measured in the same turns, with its own ratio to the yardstick. */
  readonly third?: { readonly value: number; readonly ratio: number };
}

/** Measurements of two or three sides, round by round. */
export interface Rounds {
  readonly yardstick: readonly number[];
  readonly subject: readonly number[];
  readonly third?: readonly number[] | undefined;
}

/**
 * Medians of measurements taken in turns. The ratio is the median of the rounds' ratios, because the phases of a
 * round meet about the same noise; it need not be the quotient of the medians.
 */
export function compareRounds({
  yardstick,
  subject,
  third,
}: Rounds): Pick<Figure, 'yardstick' | 'subject' | 'ratio' | 'interval' | 'third'> {
  const ratios = (side: readonly number[]) =>
    side.map((value, round) => value / (yardstick[round] ?? Number.NaN));
  const interval = medianInterval(ratios(subject));
  return {
    yardstick: median(yardstick),
    subject: median(subject),
    ratio: median(ratios(subject)),
    ...(interval === undefined ? {} : { interval }),
    ...(third === undefined ? {} : { third: { value: median(third), ratio: median(ratios(third)) } }),
  };
}

/** The sides that a part compares: its column headings. */
export interface Sides {
  readonly yardstick: string;
  readonly subject: string;
  readonly third?: string | undefined;
}

/** The results of one part of a run. */
export interface PartResult {
  readonly sides: Sides;
  readonly figures: readonly Figure[];
  /** All measurements, phase by phase, for the JSON report. */
  readonly phases: readonly object[];
  /** Sentences that a reader of the figures must know. */
  readonly notes: readonly string[];
}
