import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Refusal, RefusalLog } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import { networkOf } from '../../util/address-list.ts';
import { isoTime } from '../../util/iso-time.ts';
import { minuteLength } from '../../util/utc-windows.ts';
import { type Actor, auditActor } from '../actor.ts';
import type { Changeable } from '../make-change.ts';

/** Refusals of one account that are recorded in a minute, and of one address without a key that works. */
const mostPerMinute = 10;
/** Addresses without a key that works whose refusals are recorded in a minute: strangers may have any number of them. */
const mostAddresses = 20;

/**
 * Stores refusals in the audit log: ten a minute for each account, and for each of 20 addresses (of IPv6: /64 networks) that have no
 * key that works. The command line has no limit.
 */
export class StoredRefusals implements RefusalLog {
  readonly #storage: Pick<Storage, 'audit'>;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  #minute = 0;
  #counts = new Map<string, number>();
  #addresses = 0;

  /** @param failed Called with the reason when one cannot be stored. */
  constructor(storage: Pick<Storage, 'audit'>, clock: Clock, failed: (error: unknown) => void = () => {}) {
    this.#storage = storage;
    this.#clock = clock;
    this.#failed = failed;
  }

  async note({ actor, accountId, action, object, reason, requestId }: Refusal): Promise<void> {
    const now = this.#clock.now();
    if (actor.type !== 'command' && !this.#admits(accountId, networkOf(actor.address ?? ''), now)) return;
    try {
      await this.#storage.audit.append({
        id: createId('aud_'),
        account_id: accountId,
        at: isoTime(now),
        actor,
        action,
        object,
        outcome: 'refused',
        reason,
        before: null,
        after: null,
        request_id: requestId,
      });
    } catch (error) {
      this.#failed(error);
    }
  }

  #admits(account: string | null, network: string, now: number): boolean {
    const minute = Math.floor(now / minuteLength);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
      this.#addresses = 0;
    }
    const who = account ?? network;
    const count = (this.#counts.get(who) ?? 0) + 1;
    if (count > mostPerMinute) return false;
    if (account === null && count === 1) {
      if (this.#addresses >= mostAddresses) return false;
      this.#addresses += 1;
    }
    this.#counts.set(who, count);
    return true;
  }
}

/** An action that may be refused. */
interface Attempt {
  readonly actor: Actor;
  readonly action: `${Changeable}.${string}`;
  /** What the actor named. */
  readonly id?: string | undefined;
}

/** Runs an operation that changes something. Records it when it is refused with a status below 500. */
export async function notingRefusal<Result>(
  { actor, action, id }: Attempt,
  { refusals }: { readonly refusals: RefusalLog },
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HeadgateError && error.status < 500) {
      const [type = ''] = action.split('.');
      await refusals.note({
        actor: auditActor(actor),
        accountId: actor.kind === 'key' ? actor.account.id : null,
        action,
        object: { type, id: id?.slice(0, longestId) ?? null, workspace_id: null },
        reason: error.type,
        requestId: (actor.kind === 'key' ? actor.requestId : undefined) ?? null,
      });
    }
    throw error;
  }
}

const longestId = 200;
