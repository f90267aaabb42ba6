/** Milliseconds of releases in one stretch: few stretches are soon looked through, short ones soon let go of. */
const stretchLength = 10_000;

/** Amounts that are released at the same moment. */
interface Release {
  amount: bigint;
  readonly at: number;
}

/** Charges whose releases are close to each other. */
class Stretch {
  readonly beginsAt: number;
  readonly requestIds = new Set<string>();
  readonly #releases: Release[] = [];
  #done = 0;
  #rest = 0n;

  constructor(beginsAt: number) {
    this.beginsAt = beginsAt;
  }

  /** Of all that is not released yet. */
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

  /** When the last of so much of the rest is released. */
  releaseOf(need: bigint): number | undefined {
    let released = 0n;
    return this.#releases.slice(this.#done).find(({ amount }) => {
      released += amount;
      return released >= need;
    })?.at;
  }
}

/**
 * The charges of an account's requests that ended a moment ago, each until its release. A busy account has a million of
 * them: kept by stretches of time, which are let go of whole, they cost the same however many there are. In a map, to look
 * at the first one means to walk over all that were deleted before it. Times are milliseconds of one clock.
 */
export class SettlingCharges {
  /** In the order of release. */
  readonly #stretches: Stretch[] = [];
  #lastRelease = 0;

  get empty(): boolean {
    return this.#stretches.length === 0;
  }

  /** Whether the charge of a request is among them. */
  has(requestId: string): boolean {
    return this.#stretches.some(({ requestIds }) => requestIds.has(requestId));
  }

  /** Adds a charge; one that is due before others already here is released with the last of them. */
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

  /** Lets go of what is due and returns what it comes to. */
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

  /** When so much will be released; undefined when all of it is less. */
  releaseOf(need: bigint): number | undefined {
    let missing = need;
    for (const stretch of this.#stretches) {
      if (stretch.rest >= missing) return stretch.releaseOf(missing);
      missing -= stretch.rest;
    }
    return undefined;
  }
}
