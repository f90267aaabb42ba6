import { HeadgateError } from '../../core/errors.ts';
import { dayLength, minuteLength } from '../../core/utc-windows.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  CountBooked,
  FreeRequestLimits,
  FreeRequestOutcome,
  FreeRequests,
} from '../../ports/free-requests.ts';
import { countedTodayScript, countScript, freeRequestsKey } from './free-requests-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Milliseconds for which what was read serves others: the first one's count makes it useless. */
const readFor = 1_000;

interface Booked {
  readonly inDay: number;
  readonly inMinute: number;
}

/**
 * Counts requests for free variants in Redis, one script a request, in windows of the server's clock. The books are
 * asked about an account Redis knows nothing of: one that made none for two days, or any after Redis lost its memory.
 */
export class RedisFreeRequests implements FreeRequests {
  readonly #run: RedisConnection['run'];
  readonly #countBooked: CountBooked;
  readonly #clock: Clock | undefined;
  /** By account and minute. */
  readonly #reading = new Map<string, Promise<Booked>>();

  /** @param clock Takes the place of the server's where tests set the time. */
  constructor(run: RedisConnection['run'], countBooked: CountBooked, clock?: Clock) {
    this.#run = run;
    this.#countBooked = countBooked;
    this.#clock = clock;
  }

  count(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    return this.#count(accountId, limits, 1);
  }

  look(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    return this.#count(accountId, limits, 0);
  }

  async #count(
    accountId: string,
    limits: FreeRequestLimits | undefined,
    times: number,
  ): Promise<FreeRequestOutcome> {
    const bounds = limits === undefined ? ['', ''] : [String(limits.perMinute), String(limits.perDay)];
    const args = [...bounds, String(times)];
    let reply = replyOf(await this.#call(countScript, accountId, [...args, '', '']));
    if (reply[0] === 'unknown') {
      const { inDay, inMinute } = await this.#read(accountId, Number(reply[1]));
      reply = replyOf(await this.#call(countScript, accountId, [...args, String(inDay), String(inMinute)]));
    }
    if (reply[0] === 'counted') return { counted: true };
    const [, window, resetsAt] = reply;
    return { counted: false, window: window === 'day' ? 'day' : 'minute', resetsAt: Number(resetsAt) };
  }

  /**
   * Counts requests that were made while Redis was away, whatever the limits. A Redis that knows nothing of the account
   * will ask the books, which have them.
   */
  async add(accountId: string, times: number): Promise<void> {
    await this.#call(countScript, accountId, ['', '', String(times), '', '']);
  }

  async countedToday(accountId: string): Promise<number> {
    const [word, number] = replyOf(await this.#call(countedTodayScript, accountId, []));
    if (word === 'counted') return Number(number);
    return (await this.#read(accountId, Number(number))).inDay;
  }

  #call(script: typeof countScript, accountId: string, args: readonly string[]): Promise<unknown> {
    const now = this.#clock === undefined ? '' : String(this.#clock.now());
    return this.#run(script, [freeRequestsKey(accountId)], [now, ...args]);
  }

  /** However many ask together, the books are read once. */
  #read(accountId: string, now: number): Promise<Booked> {
    const name = `${accountId} ${Math.floor(now / minuteLength)}`;
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      const forget = () => this.#reading.delete(name);
      reading = this.#readBooks(accountId, now);
      reading.then(() => setTimeout(forget, readFor).unref(), forget);
      this.#reading.set(name, reading);
    }
    return reading;
  }

  async #readBooks(accountId: string, now: number): Promise<Booked> {
    const [inDay, inMinute] = await Promise.all([
      this.#countBooked(accountId, Math.floor(now / dayLength) * dayLength),
      this.#countBooked(accountId, Math.floor(now / minuteLength) * minuteLength),
    ]);
    return { inDay, inMinute };
  }
}

function replyOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new HeadgateError('service_unavailable');
  return reply;
}
