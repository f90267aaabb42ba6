import { isIP } from 'node:net';
import { HeadgateError } from '../../core/errors.ts';

const minute = 60_000;
const perMinute = 5;
const perHour = 30;
const allPerMinute = 120;
/** Addresses that are remembered; the oldest make room. */
const mostAddresses = 10_000;

interface Failures {
  minute: number;
  inMinute: number;
  hour: number;
  inHour: number;
}

/**
 * Slows down who guesses keys: counts failed logins of each address and of all together, in this process
 * (docs/spec/dashboard.md#login).
 */
export class LoginLimit {
  readonly #byAddress = new Map<string, Failures>();
  readonly #all: Failures = { minute: 0, inMinute: 0, hour: 0, inHour: 0 };

  /** @throws HeadgateError `platform_rate_limit` for an address that failed too often. */
  admit(address: string | undefined, now: number): void {
    const found = this.#byAddress.get(network(address));
    if (found !== undefined) turn(found, now);
    turn(this.#all, now);
    const hourly = (found?.inHour ?? 0) >= perHour;
    const minutely = (found?.inMinute ?? 0) >= perMinute || this.#all.inMinute >= allPerMinute;
    if (!hourly && !minutely) return;
    const span = hourly ? 60 * minute : minute;
    const retryAfter = Math.ceil((span - (now % span)) / 1000);
    throw new HeadgateError('platform_rate_limit', 'Too many failed logins. Wait a little, then try again.', {
      retryAfter,
    });
  }

  /** Notes a login that failed. */
  fail(address: string | undefined, now: number): void {
    const name = network(address);
    const found = this.#byAddress.get(name) ?? { minute: 0, inMinute: 0, hour: 0, inHour: 0 };
    this.#byAddress.delete(name);
    this.#byAddress.set(name, found);
    for (const one of [found, this.#all]) {
      turn(one, now);
      one.inMinute += 1;
      one.inHour += 1;
    }
    if (this.#byAddress.size <= mostAddresses) return;
    const [oldest] = this.#byAddress.keys();
    if (oldest !== undefined) this.#byAddress.delete(oldest);
  }
}

function turn(failures: Failures, now: number): void {
  const [inMinute, inHour] = [Math.floor(now / minute), Math.floor(now / (60 * minute))];
  if (failures.minute !== inMinute) Object.assign(failures, { minute: inMinute, inMinute: 0 });
  if (failures.hour !== inHour) Object.assign(failures, { hour: inHour, inHour: 0 });
}

/** An address, or the network of one household: the first 64 bits of IPv6. */
function network(address = ''): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = (tail ?? '').split(':').filter(Boolean);
  const middle = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return [...groups, ...middle, ...rest].slice(0, 4).join(':');
}
