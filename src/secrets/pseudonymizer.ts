import { createHmac } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

/**
 * Creates pseudonyms of end users that may leave the gateway: a keyed hash that includes the account, so that it
 * reveals neither the identifier nor a link between accounts (docs/spec/accounts.md#end-users). Without an end user the
 * account itself is the identity.
 * @param masterKey The installation's secret; only a key derived for this one purpose is used.
 */
export function createPseudonymizer(
  masterKey: MasterKey,
): (accountId: string, endUser: string | undefined) => string {
  const key = masterKey.derive('end-user-pseudonym');
  const ofAccounts = new Map<string, string>();
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, 40);
  return (accountId, endUser) => {
    if (endUser !== undefined) return hash(JSON.stringify([accountId, endUser]));
    const known = ofAccounts.get(accountId);
    if (known !== undefined) return known;
    const made = hash(JSON.stringify([accountId]));
    ofAccounts.set(accountId, made);
    return made;
  };
}
