import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';

interface Sides {
  readonly owner: string;
  readonly day: bigint;
  kept: bigint;
  recomputed: bigint;
}

/** Kept totals beside recomputed ones, by owner and, where that matters, by UTC day. */
export class Comparison {
  readonly #name: (owner: string, day: bigint) => string;
  readonly #sides = new Map<string, Sides>();

  constructor(name: (owner: string, day: bigint) => string) {
    this.#name = name;
  }

  /** Adds to what is kept. */
  keep(amount: bigint, owner: string, day = 0n): void {
    this.#at(owner, day).kept += amount;
  }

  /** Adds to what is recomputed. */
  recompute(amount: bigint, owner: string, day = 0n): void {
    this.#at(owner, day).recomputed += amount;
  }

  /** Where the two differ, by owner and day. */
  differences(): readonly LedgerDifference[] {
    return [...this.#sides.values()]
      .filter(({ kept, recomputed }) => kept !== recomputed)
      .sort((a, b) => (a.owner === b.owner ? Number(a.day - b.day) : a.owner < b.owner ? -1 : 1))
      .map(({ owner, day, kept, recomputed }) => ({
        subject: this.#name(owner, day),
        kept: nanoFromInteger(kept),
        recomputed: nanoFromInteger(recomputed),
      }));
  }

  #at(owner: string, day: bigint): Sides {
    const name = `${day} ${owner}`;
    let sides = this.#sides.get(name);
    if (sides === undefined) {
      sides = { owner, day, kept: 0n, recomputed: 0n };
      this.#sides.set(name, sides);
    }
    return sides;
  }
}
