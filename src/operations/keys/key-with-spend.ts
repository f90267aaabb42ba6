import type { ApiKey, KeySpend } from '../../ports/keys.ts';
import type { Uses } from '../services.ts';

/** A key and what was charged to it. */
export interface KeyWithSpend {
  readonly key: ApiKey;
  /** In the windows of UTC, which reports go by. */
  readonly spend: KeySpend;
  /** In the windows that its limit counts in. */
  readonly limitSpend: KeySpend;
}

/** Reads what was charged to a key, in the windows of this moment. */
export async function withSpend(
  key: ApiKey,
  { storage, clock }: Uses<'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  const now = clock.now();
  const spend = await storage.ledger.keySpend(key.hash, now);
  const isOtherwise = key.limit !== null && key.limitReset !== null;
  return { key, spend, limitSpend: isOtherwise ? await storage.ledger.limitSpend(key.hash, now) : spend };
}
