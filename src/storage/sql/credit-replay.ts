import type { LedgerEntry } from '../../ports/ledger.ts';

/** An entry in the order of its account's books, with what had been charged to the account by then. */
export interface BookedEntry {
  readonly entry: LedgerEntry;
  readonly spentBefore: bigint;
}

/** Credit with an end. */
export interface ExpiringCredit {
  readonly id: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  left: bigint;
}

/**
 * Works out what is left of credit that expires, from the entries of an account in order. Whatever lowers the
 * balance takes the credit that expires soonest first and credit without an end last; new credit pays a debt
 * first. Only totals are needed: what was charged between two entries is the difference of what had been
 * charged before each.
 */
export class CreditReplay {
  readonly #expiring: ExpiringCredit[] = [];
  /** Credit without an end; below zero it is debt, and then nothing that expires is left. */
  #lasting = 0n;
  #spent = 0n;

  /** What was charged so far. */
  get spent(): bigint {
    return this.#spent;
  }

  /** Takes charges up to a total; a total that is less than the last one changes nothing. */
  spendUpTo(total: bigint): void {
    if (total <= this.#spent) return;
    this.#take(total - this.#spent);
    this.#spent = total;
  }

  /** Takes an entry with the charges before it. Returns what was left of what it closes, if it is an expiry. */
  book({ entry, spentBefore }: BookedEntry): bigint | undefined {
    this.spendUpTo(spentBefore);
    if (entry.type === 'expiry' && entry.relatedId !== null)
      return this.#close(entry.relatedId, -entry.amount);
    if (entry.amount < 0n) this.#take(-entry.amount);
    else if (entry.expiresAt === null) this.#lasting += entry.amount;
    else this.#add(entry.id, entry.expiresAt, entry.amount);
    return undefined;
  }

  /** The credit that expires next of what is not spent. */
  next(): ExpiringCredit | undefined {
    return this.#expiring.find(({ left }) => left > 0n);
  }

  #add(id: string, expiresAt: number, amount: bigint): void {
    const debt = this.#lasting < 0n ? -this.#lasting : 0n;
    const paid = debt < amount ? debt : amount;
    this.#lasting += paid;
    this.#expiring.push({ id, expiresAt, left: amount - paid });
    this.#expiring.sort((a, b) => a.expiresAt - b.expiresAt);
  }

  #take(amount: bigint): void {
    let open = amount;
    for (const credit of this.#expiring) {
      const taken = credit.left < open ? credit.left : open;
      credit.left -= taken;
      open -= taken;
    }
    this.#lasting -= open;
  }

  #close(id: string, amount: bigint): bigint {
    const credit = this.#expiring.find((one) => one.id === id);
    const left = credit?.left ?? 0n;
    if (credit !== undefined) credit.left = 0n;
    this.#lasting -= amount - left;
    return left;
  }
}
