import type { Provider } from '../../core/catalogue.ts';
import { readServiceAccount } from './service-account.ts';

/**
 * Checks an account's own credential, a service-account key, and returns its e-mail address.
 * @throws HeadgateError `upstream_credential`.
 */
export function readOwnServiceAccount(provider: Provider): string {
  return readServiceAccount(provider).clientEmail;
}
