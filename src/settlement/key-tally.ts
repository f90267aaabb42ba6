import type { SpendCalendar } from '../core/limit-calendar.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import type { KeySpend } from '../ports/keys.ts';
import { SpendTally } from './spend-tally.ts';

/** What a key spent: as the books had it a moment ago, with every charge booked in this process since. */
export class KeyTally {
  readonly #usage: SpendTally;
  readonly #byok: SpendTally;

  /** @param now Unix milliseconds. */
  constructor(calendar: SpendCalendar, now: number) {
    this.#usage = new SpendTally(calendar, now);
    this.#byok = new SpendTally(calendar, now);
  }

  /** In the windows that hold `now`. */
  at(now: number): KeySpend {
    return { usage: this.#usage.at(now), byokUsage: this.#byok.at(now) };
  }

  /** Notes a charge about to be booked. */
  begin(generation: Generation): void {
    this.#usage.begin(generation.cost);
    this.#byok.begin(byokCost(generation));
  }

  /** Counts a charge noted before as it was booked, if it was. */
  end(noted: Generation, booked: Generation | undefined): void {
    this.#usage.end(noted.cost, booked?.cost, noted.settledAt);
    this.#byok.end(byokCost(noted), booked && byokCost(booked), noted.settledAt);
  }

  /** Takes in what the books said of the windows that held `moment` (Unix milliseconds). */
  read(books: KeySpend, moment: number): void {
    this.#usage.read(books.usage, moment);
    this.#byok.read(books.byokUsage, moment);
  }
}

function byokCost({ isByok, listCost }: Generation): NanoUsd {
  return isByok ? listCost : zeroUsd;
}
