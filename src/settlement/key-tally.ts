import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import type { KeySpend } from '../ports/keys.ts';
import { ChargesInTransit, type TransitMark } from './charges-in-transit.ts';
import { SpendTally } from './spend-tally.ts';

/** The marks of both kinds of spending, taken before the books are read. */
export type KeyTallyMark = readonly [usage: TransitMark, byok: TransitMark];

/** What a key spent: as the books had it a moment ago, with every charge booked in this process since. */
export class KeyTally {
  readonly #usage: SpendTally;
  readonly #byok: SpendTally;
  readonly #usageTransit = new ChargesInTransit();
  readonly #byokTransit = new ChargesInTransit();

  /** @param now Unix milliseconds. */
  constructor(now: number) {
    this.#usage = new SpendTally(now);
    this.#byok = new SpendTally(now);
  }

  /** In the windows that hold `now`. */
  at(now: number): KeySpend {
    return { usage: this.#usage.at(now), byokUsage: this.#byok.at(now) };
  }

  /** Notes a charge about to be booked. */
  begin(generation: Generation): void {
    this.#usageTransit.begin(generation.cost);
    this.#byokTransit.begin(byokCost(generation));
  }

  /** Counts a charge noted before, if it was booked. */
  end(generation: Generation, booked: boolean): void {
    this.#usageTransit.end(generation.cost);
    this.#byokTransit.end(byokCost(generation));
    if (!booked) return;
    this.#usage.add(generation.cost, generation.settledAt);
    this.#byok.add(byokCost(generation), generation.settledAt);
  }

  /** Taken before the books are read. */
  mark(): KeyTallyMark {
    return [this.#usageTransit.mark(), this.#byokTransit.mark()];
  }

  /** Takes in what the books, asked after `mark`, said of the windows that held `moment`. */
  read(books: KeySpend, moment: number, [usage, byok]: KeyTallyMark): void {
    const [used, served] = [this.#usageTransit, this.#byokTransit];
    this.#usage.read(books.usage, moment, used.amount, used.quietSince(usage));
    this.#byok.read(books.byokUsage, moment, served.amount, served.quietSince(byok));
  }
}

function byokCost({ isByok, listCost }: Generation): NanoUsd {
  return isByok ? listCost : zeroUsd;
}
