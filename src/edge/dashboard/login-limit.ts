import { tooMany } from '../../core/too-many.ts';
import { networkOf } from '../../util/address-list.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { CallRate } from '../call-rate.ts';

const minute = 60_000;
const perMinute = 5;
const perHour = 30;
const allPerMinute = 120;
/** Networks that are remembered; the one that tried for the last time longest ago makes room. */
const mostNetworks = 10_000;
/** Successful logins of one key. */
const ofKeyPerMinute = 30;

/** Logins of one network: those that failed, and those that are not decided yet. */
interface Attempts {
  readonly failed: Failures;
  running: number;
}

interface Failures {
  minute: number;
  inMinute: number;
  hour: number;
  inHour: number;
}

/** Says how an attempt to log in ended, and when. Only the first call counts. */
export type EndAttempt = (hasFailed: boolean, now: number) => void;

/**
 * Slows down guesses of keys: counts logins of each address from the moment they are admitted, those that succeed no
 * longer (docs/spec/dashboard.md#login). Where too many fail in all, an address that failed waits for the next minute, and
 * no other does. Counted in this process.
 */
export class LoginLimit {
  readonly #byNetwork = new LinkedMap<string, Attempts>();
  readonly #all = newFailures();
  readonly #ofKey = new CallRate(() => ofKeyPerMinute, 'A key', 'key', 'logins');

  /**
   * Admits an attempt of an address, before its key is looked up.
   * @param now Unix milliseconds.
   * @throws HeadgateError `platform_rate_limit` for an address that failed too often, or that tries too much at once.
   */
  admit(address: string | undefined, now: number): EndAttempt {
    const name = networkOf(address ?? '');
    const attempts = this.#byNetwork.get(name) ?? { failed: newFailures(), running: 0 };
    turn(attempts.failed, now);
    turn(this.#all, now);
    const { inMinute, inHour } = attempts.failed;
    const most = this.#all.inMinute >= allPerMinute ? 1 : perMinute;
    if (inHour >= perHour) refuse(tooManyFailed, { limit: perHour, span: 60 * minute, now });
    if (inMinute >= most) refuse(tooManyFailed, { limit: most, span: minute, now });
    // Those that run may all succeed, and then do not count.
    const free = Math.min(perMinute - inMinute, perHour - inHour);
    if (attempts.running >= free) refuse(tooManyAtOnce, { limit: perMinute, span: 1000, now });
    attempts.running += 1;
    this.#remember(name, attempts);
    let hasEnded = false;
    return (hasFailed, endedAt) => {
      if (hasEnded) return;
      hasEnded = true;
      attempts.running -= 1;
      if (hasFailed) this.#fail(attempts.failed, endedAt);
      else if (attempts.running === 0 && attempts.failed.inHour === 0) this.#forget(name, attempts);
    };
  }

  /**
   * Admits a login with a key that works.
   * @param now Unix milliseconds.
   * @throws HeadgateError `platform_rate_limit` for the login too many.
   */
  admitKey(known: { readonly key: { readonly hash: string } }, now: number): void {
    this.#ofKey.admit(known, now);
  }

  #fail(failed: Failures, now: number): void {
    for (const one of [failed, this.#all]) {
      turn(one, now);
      one.inMinute += 1;
      one.inHour += 1;
    }
  }

  #remember(name: string, attempts: Attempts): void {
    this.#byNetwork.set(name, attempts);
    const { oldest } = this.#byNetwork;
    if (this.#byNetwork.size > mostNetworks && oldest !== undefined) this.#byNetwork.delete(oldest[0]);
  }

  #forget(name: string, attempts: Attempts): void {
    if (this.#byNetwork.get(name) === attempts) this.#byNetwork.delete(name);
  }
}

const tooManyFailed = 'Too many failed logins. Wait a little, then try again.';
const tooManyAtOnce = 'Too many logins at once from this address. Try again in a second.';

/** @param span Milliseconds of the window at whose end there is room again. */
function refuse(
  message: string,
  { limit, span, now }: { readonly limit: number; readonly span: number; readonly now: number },
): never {
  throw tooMany(message, { limit, resetsAt: now - (now % span) + span, now });
}

function newFailures(): Failures {
  return { minute: 0, inMinute: 0, hour: 0, inHour: 0 };
}

function turn(failures: Failures, now: number): void {
  const [inMinute, inHour] = [Math.floor(now / minute), Math.floor(now / (60 * minute))];
  if (failures.minute !== inMinute) Object.assign(failures, { minute: inMinute, inMinute: 0 });
  if (failures.hour !== inHour) Object.assign(failures, { hour: inHour, inHour: 0 });
}
