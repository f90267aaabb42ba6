import { malformed } from '../../schema/fault.ts';
import type { Uses } from '../services.ts';

/**
 * Rule 10 of docs/spec/credentials.md#creating-a-credential: a credential is only for inference keys of its account.
 * Unknown, foreign and deleted keys get the same answer.
 * @throws HeadgateError `invalid_request`.
 */
export async function requireOwnKeys(
  hashes: readonly string[] | null,
  accountId: string,
  { storage }: Uses<'keys'>,
): Promise<void> {
  const found = await Promise.all((hashes ?? []).map((hash) => storage.keys.findWithAccount(hash)));
  if (found.every((one) => one?.key.accountId === accountId && one.key.kind === 'inference')) return;
  throw malformed('allowed_api_key_hashes', 'holds a hash that is no inference key of this account');
}
