import type { SpendCalendar } from '../core/limit-calendar.ts';
import type { Generation } from '../ports/generations.ts';
import type { KeySpend } from '../ports/keys.ts';
import { KeyTally } from './key-tally.ts';

/** What one subject of budgets spent, shared by all keys whose spending counts for it. */
export interface SubjectTally {
  readonly subject: string;
  readonly tally: KeyTally;
  /** How many keys hold it. */
  keys: number;
}

const none: readonly SubjectTally[] = [];

/** Knows what the subjects of budgets spent, as long as a known key counts for them. */
export class SubjectTallies {
  readonly #calendar: SpendCalendar;
  readonly #known = new Map<string, SubjectTally>();

  constructor(calendar: SpendCalendar) {
    this.#calendar = calendar;
  }

  /**
   * The tallies of the subjects a key counts for, in place of the ones it held.
   * @param spends What the books said of each at `moment`.
   * @param now Unix milliseconds.
   */
  exchange(
    held: readonly SubjectTally[],
    spends: ReadonlyMap<string, KeySpend> | undefined,
    { moment, now }: { readonly moment: number; readonly now: number },
  ): readonly SubjectTally[] {
    if (spends === undefined && held.length === 0) return none;
    const next = [...(spends ?? [])].map(([subject, spend]) => {
      const known = this.#known.get(subject) ?? {
        subject,
        tally: new KeyTally(this.#calendar, now),
        keys: 0,
      };
      this.#known.set(subject, known);
      known.keys += 1;
      known.tally.read(spend, moment);
      return known;
    });
    this.release(held);
    return next;
  }

  /** Lets go of tallies that a key held. */
  release(held: readonly SubjectTally[]): void {
    for (const known of held) {
      known.keys -= 1;
      if (known.keys === 0) this.#known.delete(known.subject);
    }
  }
}

/** Notes a charge about to be booked. Call the returned function with what was booked, undefined for nothing. */
export function beginAll(
  held: readonly SubjectTally[],
  generation: Generation,
): (booked: Generation | undefined) => void {
  for (const { tally } of held) tally.begin(generation);
  return (booked) => {
    for (const { tally } of held) tally.end(generation, booked);
  };
}
