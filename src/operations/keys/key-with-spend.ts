import type { ApiKey, KeySpend } from '../../ports/keys.ts';
import type { Uses } from '../services.ts';

/** A key and what was charged to it. */
export interface KeyWithSpend {
  readonly key: ApiKey;
  readonly spend: KeySpend;
}

/** Reads what was charged to a key, in the windows of this moment. */
export async function withSpend(
  key: ApiKey,
  { storage, clock }: Uses<'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  return { key, spend: await storage.ledger.keySpend(key.hash, clock.now()) };
}
