import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Makes pseudonyms of end users that may leave the gateway: a keyed hash mixed with the account, so that
 * neither the identifier nor a link between accounts can be read from it (accounts-and-limits 15.4).
 * Without an end user the account itself is the identity.
 * @param masterKey The installation's secret; only a key derived for this one purpose is used.
 */
export function createPseudonymizer(
  masterKey: Buffer,
): (accountId: string, endUser: string | undefined) => string {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'end-user-pseudonym', 32));
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
