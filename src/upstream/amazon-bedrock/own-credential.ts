import type { Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { readCredential } from './credentials.ts';

/**
 * Checks an account's own credential: a bearer key, or an access key that names its region. Returns the access key's
 * public id.
 * @throws HeadgateError `upstream_credential`.
 */
export function readOwnAccessKey(provider: Provider): string | undefined {
  const credential = readCredential(provider);
  if (credential?.kind !== 'access key') return undefined;
  if (credential.key.region === undefined) {
    throw new HeadgateError('upstream_credential', 'an access key must name its region');
  }
  return credential.key.accessKeyId;
}
