import { LinkedMap } from '../util/linked-map.ts';

/** What has bytes that it can give up. */
export interface Keeper {
  /** Gives them up, and sets in its holding what is left. */
  giveUp(): void;
}

/**
 * Divides the memory for stored answers among accounts. An account may take all of it while others leave room. Beyond
 * that the account that takes most gives up its largest answers: small ones go last, and no account loses anything while
 * it takes less than an equal share. Half of the memory may be fixed; then claims are refused, first those of accounts
 * that have an equal share of it.
 */
export class AnswerShares {
  readonly #capacity: number;
  readonly #shares = new Map<string, Share>();
  #taken = 0;
  #fixed = 0;
  #isFitting = false;

  /** @param capacity Bytes of all accounts together. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Bytes that are taken at this moment. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes room for a claim; undefined when there is none.
   * @param fixed Bytes that stay whatever happens.
   */
  enter(account: string, fixed: number, keeper: Keeper): Holding | undefined {
    const share = this.#shares.get(account) ?? new Share(account);
    const accounts = this.#shares.size + (share.holdings === 0 ? 1 : 0);
    const most = this.#capacity / 2;
    if (this.#fixed + fixed > most && share.fixed + fixed > most / accounts) return undefined;
    this.#shares.set(account, share);
    share.holdings += 1;
    const holding = new Holding(this, share, keeper);
    holding.set(fixed, 0, false);
    return holding;
  }

  /** A holding takes more or fewer bytes. */
  changed(fixed: number, loose: number): void {
    this.#fixed += fixed;
    this.#taken += fixed + loose;
    if (this.#taken > this.#capacity) this.#fit();
  }

  /** A holding takes nothing any more. */
  left(share: Share): void {
    share.holdings -= 1;
    if (share.holdings === 0) this.#shares.delete(share.account);
  }

  #fit(): void {
    // Whoever gives something up changes what it takes, which leads here again.
    if (this.#isFitting) return;
    this.#isFitting = true;
    try {
      while (this.#taken > this.#capacity) {
        const victim = this.#largestShare()?.largest;
        if (victim === undefined) return;
        const { fixed, loose, breaks } = victim;
        victim.keeper.giveUp();
        const isSame = victim.loose === loose && victim.breaks === breaks;
        // What cannot be given up after all is not asked for twice.
        if (isSame) victim.set(fixed + loose, 0, breaks);
      }
    } finally {
      this.#isFitting = false;
    }
  }

  /** Of those that have something to give up. */
  #largestShare(): Share | undefined {
    let largest: Share | undefined;
    for (const share of this.#shares.values()) {
      if (share.taken > (largest?.taken ?? 0) && share.largest !== undefined) largest = share;
    }
    return largest;
  }
}

/** What one answer takes of the memory, in bytes. */
export class Holding {
  readonly #shares: AnswerShares;
  readonly #share: Share;
  readonly keeper: Keeper;
  /** What stays whatever happens. */
  fixed = 0;
  /** What can be given up. */
  loose = 0;
  /** Whether giving it up breaks an answer off for a reader: the last resort. */
  breaks = false;
  #isOver = false;

  constructor(shares: AnswerShares, share: Share, keeper: Keeper) {
    this.#shares = shares;
    this.#share = share;
    this.keeper = keeper;
  }

  set(fixed: number, loose: number, breaks: boolean): void {
    if (this.#isOver) return;
    const more = { fixed: fixed - this.fixed, loose: loose - this.loose };
    this.#share.take(more.fixed, more.loose);
    this.#share.move(this, loose, breaks);
    this.fixed = fixed;
    this.loose = loose;
    this.breaks = breaks;
    this.#shares.changed(more.fixed, more.loose);
  }

  /** Takes nothing any more. */
  leave(): void {
    if (this.#isOver) return;
    this.set(0, 0, false);
    this.#isOver = true;
    this.#shares.left(this.#share);
  }
}

/** What one account takes. Its holdings stand by the magnitude of their loose bytes, so that a largest one is found at once. */
class Share {
  readonly account: string;
  holdings = 0;
  fixed = 0;
  taken = 0;
  readonly #stored: LinkedMap<Holding, Holding>[] = [];
  readonly #read: LinkedMap<Holding, Holding>[] = [];

  constructor(account: string) {
    this.account = account;
  }

  /** The holding that has been longest among the largest; one that breaks an answer off only where there is no other. */
  get largest(): Holding | undefined {
    return oldestOf(this.#stored) ?? oldestOf(this.#read);
  }

  take(fixed: number, loose: number): void {
    this.fixed += fixed;
    this.taken += fixed + loose;
  }

  /** Puts a holding, which has its former bytes still, where its new ones belong. */
  move(holding: Holding, loose: number, breaks: boolean): void {
    const [from, to] = [magnitudeOf(holding.loose), magnitudeOf(loose)];
    if (from === to && holding.breaks === breaks) return;
    (holding.breaks ? this.#read : this.#stored)[from]?.delete(holding);
    if (to === 0) return;
    const classes = breaks ? this.#read : this.#stored;
    while (classes.length <= to) classes.push(new LinkedMap());
    classes[to]?.set(holding, holding);
  }
}

function oldestOf(classes: readonly LinkedMap<Holding, Holding>[]): Holding | undefined {
  return classes.findLast(({ size }) => size > 0)?.oldest?.[0];
}

/** How many binary digits a number of bytes has. */
function magnitudeOf(bytes: number): number {
  return bytes < 1 ? 0 : 32 - Math.clz32(bytes);
}
