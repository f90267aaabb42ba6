import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  HoldId,
  HoldOutcome,
  HoldTerms,
  InFlightView,
  LapsedHold,
  LimitShare,
} from '../../ports/in-flight-budget.ts';
import {
  chargeScript,
  holdScript,
  inFlightKeys,
  inFlightScript,
  lookScript,
  raiseScript,
  renewScript,
  settleScript,
  sweepScript,
} from './in-flight-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';
import { readClock, Script } from './script.ts';

/** Milliseconds for which this process does not list an account again. */
const listedFor = 60_000;
/**
 * Milliseconds for which an account stays listed after its last lease can have expired, because sweeps are more
 * frequent.
 */
const listedBeyond = 600_000;
const maxListed = 50_000;
/** Accounts swept in one batch. */
const sweepBatchSize = 200;

/** A running request and its hold. */
export interface Hold {
  readonly id: HoldId;
  readonly amount: NanoUsd;
  readonly note?: string;
  /** What it holds of limits; undefined leaves that as it is. */
  readonly shares?: readonly LimitShare[];
}

/**
 * The in-flight budget in Redis: one script per call, atomic for its account, with the server's clock. Calls of one
 * process take effect in order. A call rejects when there is no answer in time; then it is unknown whether it took
 * effect.
 */
export class RedisInFlightBudget {
  readonly #run: RedisConnection['run'];
  readonly #clock: Clock | undefined;
  /** When this process listed accounts for sweeps. */
  readonly #listed = new Map<string, number>();

  /** @param clock Replaces the server's where tests set the time. */
  constructor(run: RedisConnection['run'], clock?: Clock) {
    this.#run = run;
    this.#clock = clock;
  }

  /** @param own What running requests of this process hold of a limit: what it knows to be spent holds no charge of them. */
  async hold(
    { accountId, requestId }: HoldId,
    amount: NanoUsd,
    terms: HoldTerms,
    own: (limit: string) => bigint,
  ): Promise<HoldOutcome> {
    const { budget, lease, settlementWindow, note = '' } = terms;
    const { limits = [], isBegun = false, isTrial = false } = terms;
    if (!isTrial && (amount > 0n || limits.length > 0)) this.#list(accountId, lease);
    const flags = [isBegun, isTrial].map((flag) => (flag ? '1' : ''));
    const needs = limits.flatMap((one) => [
      ...[one.id, one.window, one.limit, one.spent, one.amount],
      own(one.id),
    ]);
    const args = [requestId, amount, budget, lease, settlementWindow, note, ...flags, ...needs].map(String);
    const reply = await this.#call(holdScript, accountId, args);
    if (!Array.isArray(reply)) {
      return reply === 0 ? { held: true } : { held: false, retryAfter: Number(reply) };
    }
    const [fits, ...rest] = reply.map(String);
    if (fits === '0') {
      const [limit = '', spent = '0'] = rest;
      return { held: false, limit, spent: nanoFromInteger(BigInt(spent)) };
    }
    const shares = limits.map(({ id, window }, at) => {
      return { id, window, amount: nanoFromInteger(BigInt(rest[at] ?? '0')) };
    });
    return { held: true, shares };
  }

  /** Sets holds of one account without checking the budget. */
  async raise(accountId: string, holds: readonly Hold[], lease: number): Promise<void> {
    this.#list(accountId, lease);
    const amounts = holds.flatMap(({ id, amount, note = '', shares }) => [
      id.requestId,
      String(amount),
      note,
      shares === undefined
        ? ''
        : JSON.stringify(shares.flatMap((one) => [one.id, `${one.amount}`, one.window])),
    ]);
    await this.#call(raiseScript, accountId, [String(lease), ...amounts]);
  }

  async settle(
    { accountId, requestId }: HoldId,
    charge: NanoUsd,
    settlementWindow: number,
    shares: readonly LimitShare[] = [],
  ): Promise<void> {
    const args = [requestId, String(charge), String(settlementWindow), ...written(shares)];
    await this.#call(settleScript, accountId, args);
  }

  async charge(accountId: string, shares: readonly LimitShare[]): Promise<void> {
    await this.#call(chargeScript, accountId, written(shares));
  }

  /** Renews leases of one account. Returns the requests without a hold. */
  async renew(accountId: string, requestIds: readonly string[], lease: number): Promise<readonly string[]> {
    this.#list(accountId, lease);
    return texts(await this.#call(renewScript, accountId, [String(lease), ...requestIds]));
  }

  async sweep(): Promise<readonly LapsedHold[]> {
    const listed = await Promise.all(
      indexKeys.map(async (key) => texts(await this.#run(listedAccountsScript, [key], [this.#now()]))),
    );
    const accounts = listed.flat();
    const lapsed: LapsedHold[] = [];
    for (let at = 0; at < accounts.length; at += sweepBatchSize) {
      const some = accounts.slice(at, at + sweepBatchSize);
      const swept = await Promise.all(some.map((accountId) => this.#sweepAccount(accountId)));
      lapsed.push(...swept.flat());
    }
    return lapsed;
  }

  async inFlight(accountId: string): Promise<NanoUsd> {
    return nanoFromInteger(BigInt(String(await this.#call(inFlightScript, accountId, []))));
  }

  async look(accountId: string, limit: number): Promise<InFlightView> {
    const [total = '0', running = '0', ...rest] = texts(
      await this.#call(lookScript, accountId, [String(limit)]),
    );
    const holds = Array.from({ length: rest.length / 4 }, (_, index) => {
      const [requestId = '', left = '0', amount = '0', note = ''] = rest.slice(4 * index, 4 * index + 4);
      const hold = { requestId, amount: nanoFromInteger(BigInt(amount)), leaseLeft: Number(left) };
      return note === '' ? hold : { ...hold, note };
    });
    return { total: nanoFromInteger(BigInt(total)), running: Number(running), holds };
  }

  async #sweepAccount(accountId: string): Promise<readonly LapsedHold[]> {
    const requests = texts(await this.#call(sweepScript, accountId, []));
    const lapsed: LapsedHold[] = [];
    for (let at = 0; at < requests.length; at += 2) {
      const [requestId = '', note] = requests.slice(at, at + 2);
      lapsed.push(note ? { accountId, requestId, note } : { accountId, requestId });
    }
    return lapsed;
  }

  #call(script: typeof holdScript, accountId: string, args: readonly string[]): Promise<unknown> {
    return this.#run(script, inFlightKeys(accountId), [this.#now(), ...args]);
  }

  /** Empty: the server uses its own clock. */
  #now(): string {
    return this.#clock === undefined ? '' : String(this.#clock.now());
  }

  /**
   * Lists an account for sweeps. The list is in another slot than the holds, so it needs a separate command, which
   * nobody awaits: without it an expired hold is still released, but no sweep reports it.
   */
  #list(accountId: string, lease: number): void {
    const now = this.#clock?.now() ?? performance.now();
    const listedAt = this.#listed.get(accountId);
    if (listedAt !== undefined && now - listedAt < listedFor) return;
    if (this.#listed.size >= maxListed) this.#listed.clear();
    this.#listed.set(accountId, now);
    const duration = String(listedFor + lease + listedBeyond);
    this.#run(listAccountsScript, [indexKey(accountId)], [this.#now(), duration, accountId]).catch(() =>
      this.#listed.delete(accountId),
    );
  }
}

function written(shares: readonly LimitShare[]): readonly string[] {
  return shares.flatMap(({ id, window, amount }) => [id, String(window), String(amount)]);
}

function texts(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/**
 * Accounts that may have expired holds, in a few sorted sets with known slots: the member is the account, the score
 * the Unix milliseconds until which a sweep must visit it.
 */
const bucketCount = 16;

/** The set in which an account is listed. */
function indexKey(accountId: string): string {
  let sum = 0;
  for (let at = 0; at < accountId.length; at += 1) sum = (sum * 31 + accountId.charCodeAt(at)) % bucketCount;
  return indexKeys[sum] ?? '';
}

/** All sets. */
const indexKeys: readonly string[] = Array.from({ length: bucketCount }, (_, at) => `hg:{held-${at}}`);

/** Arguments: duration, then accounts. */
const listAccountsScript = new Script(`${readClock}
local ends = string.format('%.0f', now + tonumber(ARGV[2]))
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], 'GT', ends, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** Replies the listed accounts; removes those whose time is over. */
const listedAccountsScript = new Script(`${readClock}
local accounts = redis.call('ZRANGE', KEYS[1], 0, -1)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
return accounts
`);
