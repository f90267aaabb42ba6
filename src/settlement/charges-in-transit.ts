/** A moment charges may be on their way since, as `ChargesInTransit.mark` gave it. */
export type TransitMark = number;

const busy: TransitMark = -1;

/** The charges of one account or key that were sent to the books and are not known to be in them yet. */
export class ChargesInTransit {
  #amount = 0n;
  #changes = 0;

  get amount(): bigint {
    return this.#amount;
  }

  begin(charge: bigint): void {
    if (charge === 0n) return;
    this.#amount += charge;
    this.#changes += 1;
  }

  end(charge: bigint): void {
    if (charge === 0n) return;
    this.#amount -= charge;
    this.#changes += 1;
  }

  /** Taken before the books are asked, for `quietSince`. */
  mark(): TransitMark {
    return this.#amount === 0n ? this.#changes : busy;
  }

  /** Whether nothing was on its way at the mark or set out since. */
  quietSince(mark: TransitMark): boolean {
    return mark === this.#changes && this.#amount === 0n;
  }
}
