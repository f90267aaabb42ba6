/** Milliseconds of releases in one bucket: few buckets are quick to scan, short ones are freed early. */
const stretchLength = 10_000;

/** Amounts that are released at the same moment. */
interface Release {
  amount: bigint;
  readonly at: number;
}

/** Charges that are released at about the same time. */
class Stretch {
  readonly beginsAt: number;
  readonly requestIds = new Set<string>();
  readonly #releases: Release[] = [];
  #done = 0;
  #rest = 0n;

  constructor(beginsAt: number) {
    this.beginsAt = beginsAt;
  }

  /** The sum of what is not released yet. */
  get rest(): bigint {
    return this.#rest;
  }

  add(amount: bigint, at: number): void {
    const last = this.#releases.at(-1);
    if (last?.at === at && this.#done < this.#releases.length) last.amount += amount;
    else this.#releases.push({ amount, at });
    this.#rest += amount;
  }

  release(now: number): bigint {
    const before = this.#rest;
    for (let next = this.#releases[this.#done]; next !== undefined && next.at <= now; ) {
      this.#rest -= next.amount;
      this.#done += 1;
      next = this.#releases[this.#done];
    }
    return before - this.#rest;
  }

  /** When the last part of a needed amount is released. */
  releaseOf(need: bigint): number | undefined {
    let released = 0n;
    return this.#releases.slice(this.#done).find(({ amount }) => {
      released += amount;
      return released >= need;
    })?.at;
  }
}

/**
 * The charges of an account's requests that ended recently, each until its release. A busy account has a million of
 * them. Buckets of time are dropped as a whole, so the cost does not depend on the number of charges; finding the
 * first entry of a map would scan all entries deleted before it. Times are milliseconds of one clock.
 */
export class SettlingCharges {
  /** In order of release. */
  readonly #stretches: Stretch[] = [];
  #lastRelease = 0;

  get empty(): boolean {
    return this.#stretches.length === 0;
  }

  /** Whether the charge of a request is still settling. */
  has(requestId: string): boolean {
    return this.#stretches.some(({ requestIds }) => requestIds.has(requestId));
  }

  /** Adds a charge; one that is due before existing ones is released with the last of them. */
  add(requestId: string, amount: bigint, releasedAt: number): void {
    this.#lastRelease = Math.max(Math.ceil(releasedAt), this.#lastRelease);
    let stretch = this.#stretches.at(-1);
    if (stretch === undefined || this.#lastRelease - stretch.beginsAt >= stretchLength) {
      stretch = new Stretch(this.#lastRelease);
      this.#stretches.push(stretch);
    }
    stretch.requestIds.add(requestId);
    stretch.add(amount, this.#lastRelease);
  }

  /** Removes what is due and returns its sum. */
  release(now: number): bigint {
    let released = 0n;
    for (let first = this.#stretches[0]; first !== undefined && first.beginsAt <= now; ) {
      released += first.release(now);
      if (first.rest > 0n) break;
      this.#stretches.shift();
      first = this.#stretches[0];
    }
    return released;
  }

  /** When the amount will be released; undefined when everything together is less. */
  releaseOf(need: bigint): number | undefined {
    let missing = need;
    for (const stretch of this.#stretches) {
      if (stretch.rest >= missing) return stretch.releaseOf(missing);
      missing -= stretch.rest;
    }
    return undefined;
  }
}
