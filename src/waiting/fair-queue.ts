/** How much may wait. */
export interface QueueBounds {
  readonly pieces: number;
  /** Bytes of all pieces together. */
  readonly bytes: number;
}

interface Piece<Work> {
  readonly work: Work;
  readonly bytes: number;
}

/** What one owner has waiting. */
interface Share<Work> {
  readonly pieces: Piece<Work>[];
  bytes: number;
}

/**
 * Waiting work of several owners, who take turns: one piece of an owner after one of each other, each owner's in their order. When
 * it is full, the owner with the largest share gives up its newest piece.
 */
export class FairQueue<Work> {
  readonly #bounds: QueueBounds;
  /** In the order of their turns. */
  readonly #shares = new Map<string, Share<Work>>();
  #pieces = 0;
  #bytes = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#pieces;
  }

  /** Adds a piece of work. Returns what has no room any more, which may be this piece. */
  add(owner: string, work: Work, bytes: number): readonly Work[] {
    // It must not displace others' work and then find no room itself.
    if (bytes > this.#bounds.bytes) return [work];
    const share = this.#shares.get(owner) ?? { pieces: [], bytes: 0 };
    this.#shares.set(owner, share);
    share.pieces.push({ work, bytes });
    this.#count(share, 1, bytes);
    const displaced: Work[] = [];
    while (this.#pieces > this.#bounds.pieces || this.#bytes > this.#bounds.bytes)
      displaced.push(this.#displace());
    return displaced;
  }

  /** Takes the next piece of the first owner in turn who may begin. */
  take(mayBegin: (owner: string) => boolean): Work | undefined {
    for (const [owner, share] of this.#shares) {
      if (!mayBegin(owner)) continue;
      const [next] = share.pieces;
      if (next === undefined) return undefined;
      this.remove(owner, next.work);
      // Its next turn comes after those of all others.
      if (this.#shares.delete(owner)) this.#shares.set(owner, share);
      return next.work;
    }
    return undefined;
  }

  /** Takes out a piece of work; false when it does not wait. */
  remove(owner: string, work: Work): boolean {
    const share = this.#shares.get(owner);
    const index = share?.pieces.findIndex((piece) => piece.work === work) ?? -1;
    if (share === undefined || index === -1) return false;
    const [piece] = share.pieces.splice(index, 1);
    this.#count(share, -1, -(piece?.bytes ?? 0));
    if (share.pieces.length === 0) this.#shares.delete(owner);
    return true;
  }

  /** Takes out everything. */
  clear(): readonly Work[] {
    const all = Array.from(this.#shares.values()).flatMap(({ pieces }) => pieces.map(({ work }) => work));
    this.#shares.clear();
    this.#pieces = 0;
    this.#bytes = 0;
    return all;
  }

  #count(share: Share<Work>, pieces: number, bytes: number): void {
    share.bytes += bytes;
    this.#pieces += pieces;
    this.#bytes += bytes;
  }

  #displace(): Work {
    let [largest, most] = ['', -1];
    for (const [owner, { pieces, bytes }] of this.#shares) {
      const part = Math.max(pieces.length / this.#bounds.pieces, bytes / this.#bounds.bytes);
      if (part > most) [largest, most] = [owner, part];
    }
    const newest = this.#shares.get(largest)?.pieces.at(-1);
    if (newest === undefined) throw new Error('The queue is full and empty.');
    this.remove(largest, newest.work);
    return newest.work;
  }
}
