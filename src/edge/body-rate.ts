/** Bytes a second that a body brings at least, on average over the patience. */
const leastRate = 4096;
/** Times within the patience that rates are looked at. */
const looks = 10;
/** From this part of its credit on, a body is slow enough to be given up when another one needs its room. */
const slowPart = 0.8;

interface Arrival {
  /** Bytes the body may be behind the least rate before it is given up. */
  credit: number;
  /** Bytes since the last look. */
  recent: number;
}

/**
 * Watches how fast bodies arrive. Each has a credit of what the least rate brings within the patience; what it brings
 * adds to the credit, time takes from it. A body without credit is given up.
 */
export class BodyRate<Body> {
  readonly #pause: number;
  readonly #full: number;
  readonly #giveUp: (body: Body) => void;
  readonly #arriving = new Map<Body, Arrival>();
  #timer: NodeJS.Timeout | undefined;

  /** @param patience Milliseconds that a body may bring nothing. */
  constructor(patience: number, giveUp: (body: Body) => void) {
    this.#pause = Math.max(1, patience / looks);
    this.#full = (leastRate * patience) / 1000;
    this.#giveUp = giveUp;
  }

  /** A body begins to arrive. */
  begin(body: Body): void {
    this.#arriving.set(body, { credit: this.#full, recent: 0 });
    this.#timer ??= setInterval(() => this.#look(), this.#pause).unref();
  }

  /** Some bytes of a body have come. */
  came(body: Body, bytes: number): void {
    const arrival = this.#arriving.get(body);
    if (arrival !== undefined) arrival.recent += bytes;
  }

  /** A body has come whole, or never will. */
  end(body: Body): void {
    this.#arriving.delete(body);
  }

  /** The slowest body of some, if any of them is slow. */
  slowest(isMeant: (body: Body) => boolean): Body | undefined {
    let least = this.#full * slowPart;
    let slowest: Body | undefined;
    for (const [body, { credit, recent }] of this.#arriving) {
      if (credit + recent > least || !isMeant(body)) continue;
      least = credit + recent;
      slowest = body;
    }
    return slowest;
  }

  /** Looks are counted and not time: while this process is busy, nothing is read of any body. */
  #look(): void {
    if (this.#arriving.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [body, arrival] of this.#arriving) {
      arrival.credit = Math.min(this.#full, arrival.credit + arrival.recent - this.#full / looks);
      arrival.recent = 0;
      if (arrival.credit <= 0) this.#giveUp(body);
    }
  }
}
