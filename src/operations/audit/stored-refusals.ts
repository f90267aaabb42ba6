import { createId } from '../../core/ids.ts';
import type { Refusal, RefusalLog } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import { networkOf } from '../../util/address-list.ts';
import { isoTime } from '../../util/iso-time.ts';
import { minuteLength } from '../../util/utc-windows.ts';

/** Refusals of one address that are recorded in a minute. */
const mostPerMinute = 10;
/** Addresses that are counted in a minute. */
const mostAddresses = 1_000;

/** Stores refusals in the audit log, ten a minute for each address or IPv6 /64 network. The command line has no address and no limit. */
export class StoredRefusals implements RefusalLog {
  readonly #storage: Pick<Storage, 'audit'>;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  #minute = 0;
  #counts = new Map<string, number>();

  /** @param failed Called with the reason when one cannot be stored. */
  constructor(storage: Pick<Storage, 'audit'>, clock: Clock, failed: (error: unknown) => void = () => {}) {
    this.#storage = storage;
    this.#clock = clock;
    this.#failed = failed;
  }

  async note({ actor, accountId, action, object, reason, requestId }: Refusal): Promise<void> {
    const now = this.#clock.now();
    if (actor.type !== 'command' && !this.#admits(networkOf(actor.address ?? ''), now)) return;
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

  #admits(network: string, now: number): boolean {
    const minute = Math.floor(now / minuteLength);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(network) ?? 0) + 1;
    if (count > mostPerMinute) return false;
    if (count === 1 && this.#counts.size >= mostAddresses) return false;
    this.#counts.set(network, count);
    return true;
  }
}
