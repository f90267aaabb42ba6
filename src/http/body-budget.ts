import { HeadgateError } from '../core/errors.ts';

/** Seconds after which other requests may be over. */
const crowdedRetry = 1;
/** Parts of all room that the bodies of one key and of one account may take. */
const keyShare = 1 / 2;
const accountShare = 3 / 4;

/** Who sends a body: each has a share of the room. */
export interface BodyOwner {
  readonly key: string;
  readonly account: string;
}

/** Sizes are bytes, times milliseconds. */
export interface BodyRules {
  /** Of all bodies together. */
  readonly bodiesLimit: number;
  /** Of each; a body of this size has room when its key sends no other. */
  readonly bodyLimit: number;
  /** How long a body may stay below the minimum rate. */
  readonly headerTimeout: number;
}

/** The room that one body asks for while it is read. */
export interface BodyRoom {
  /** @param giveUp Called when the body is given up, at most once: it came too slowly. */
  begin(giveUp: (reason: HeadgateError) => void): void;
  /** Takes room for a piece. @throws HeadgateError `service_unavailable` when there is none. */
  take(bytes: number): void;
  /** The body has come whole. What it takes is given back when its answer is over or its client gone. */
  arrived(): void;
  /** The body is of no use: gives back at once what it took. */
  drop(): void;
}

/** What a body is needed for, such as the answer to its request: until it closes, the body takes room. */
export interface BodyHolder {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Room for bodies that belong together. */
interface Pool {
  readonly limit: number;
  /** What is full when this is, in the words of the error. */
  readonly whose: string;
  taken: number;
  bodies: number;
  /** Called when it has no body left. */
  readonly forget: () => void;
}

/**
 * Limits the bytes of all request bodies of this process: a body stays in memory, in one form or another, until its
 * request is answered, so a limit of each body alone does not limit them together. Each key and account has a share.
 * Bodies that come too slowly are given up: after a while in any case, and earlier when another one needs the room.
 */
export class BodyBudget {
  readonly #rules: BodyRules;
  readonly #all: Pool;
  readonly #accounts = new Map<string, Pool>();
  readonly #keys = new Map<string, Pool>();
  readonly #rate: BodyRate<Body>;

  constructor(rules: BodyRules) {
    this.#rules = rules;
    // A body that is allowed by itself has room when it is alone.
    this.#all = poolOf('This server', Math.max(rules.bodiesLimit, rules.bodyLimit), () => undefined);
    this.#rate = new BodyRate(rules.headerTimeout, (body) => body.giveUp());
  }

  /** The room for a body, until its holder closes. */
  open(holder: BodyHolder, owner?: BodyOwner): BodyRoom {
    const pools = owner === undefined ? [this.#all] : this.#poolsOf(owner);
    for (const pool of pools) pool.bodies += 1;
    const body = new Body(pools, this.#rate);
    if (holder.destroyed) this.#close(body);
    else holder.once('close', () => this.#close(body));
    return body;
  }

  #poolsOf({ key, account }: BodyOwner): readonly Pool[] {
    return [
      this.#all,
      this.#accounts.get(account) ?? this.#add(this.#accounts, account, 'Your account', accountShare),
      this.#keys.get(key) ?? this.#add(this.#keys, key, 'Your API key', keyShare),
    ];
  }

  #add(pools: Map<string, Pool>, name: string, whose: string, share: number): Pool {
    const limit = Math.max(this.#all.limit * share, this.#rules.bodyLimit);
    const pool = poolOf(whose, limit, () => pools.delete(name));
    pools.set(name, pool);
    return pool;
  }

  #close(body: Body): void {
    body.drop();
    for (const pool of body.pools) {
      pool.bodies -= 1;
      if (pool.bodies === 0) pool.forget();
    }
  }
}

class Body implements BodyRoom {
  readonly pools: readonly Pool[];
  readonly #rate: BodyRate<Body>;
  #taken = 0;
  #closed = false;
  #giveUp: ((reason: HeadgateError) => void) | undefined;

  constructor(pools: readonly Pool[], rate: BodyRate<Body>) {
    this.pools = pools;
    this.#rate = rate;
  }

  begin(giveUp: (reason: HeadgateError) => void): void {
    if (this.#closed) return;
    this.#giveUp = giveUp;
    this.#rate.begin(this);
  }

  take(bytes: number): void {
    if (this.#closed) return;
    for (const pool of this.pools) this.#makeRoom(pool, bytes);
    for (const pool of this.pools) pool.taken += bytes;
    this.#taken += bytes;
    this.#rate.came(this, bytes);
  }

  arrived(): void {
    this.#rate.end(this);
  }

  giveUp(): void {
    this.drop();
    this.#giveUp?.(new HeadgateError('deadline_exceeded', 'The request body comes too slowly.'));
  }

  drop(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#rate.end(this);
    for (const pool of this.pools) pool.taken -= this.#taken;
  }

  #makeRoom(pool: Pool, bytes: number): void {
    while (pool.taken + bytes > pool.limit) {
      const slowest = this.#rate.slowest((other) => other !== this && other.pools.includes(pool));
      if (slowest === undefined) {
        this.drop();
        throw crowded(pool);
      }
      slowest.giveUp();
    }
  }
}

function poolOf(whose: string, limit: number, forget: () => void): Pool {
  return { whose, limit, taken: 0, bodies: 0, forget };
}

function crowded({ whose }: Pool): HeadgateError {
  return new HeadgateError('service_unavailable', `${whose} holds as many request bodies as it can.`, {
    retryAfter: crowdedRetry,
  });
}

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
class BodyRate<Body> {
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
