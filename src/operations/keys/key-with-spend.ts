import type { ApiKey, KeySpend } from '../../ports/keys.ts';
import type { Uses } from '../services.ts';

/** A key and what was charged to it. */
export interface KeyWithSpend {
  readonly key: ApiKey;
  /** In the windows of UTC, which reports go by. */
  readonly spend: KeySpend;
  /** In the windows that its limit counts in. */
  readonly limitSpend: KeySpend;
  /** When a call of it was booked last, Unix milliseconds; null before the first one. */
  readonly lastUsedAt: number | null;
}

/** Reads what was charged to a key, in the windows of this moment. */
export async function withSpend(
  key: ApiKey,
  { storage, clock }: Uses<'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  const { ledger } = storage;
  const now = clock.now();
  const isOtherwise = key.limit !== null && key.limitReset !== null;
  const [spend, limitSpend, lastUse] = await Promise.all([
    ledger.keySpend(key.hash, now),
    isOtherwise ? ledger.limitSpend(key.hash, now) : undefined,
    ledger.lastUse(key.hash),
  ]);
  return { key, spend, limitSpend: limitSpend ?? spend, lastUsedAt: lastUse ?? null };
}
