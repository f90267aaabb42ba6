import { principal } from '../api/session-state.ts';
import { choice } from './url.ts';

/** Whether a page shows all accounts together: operators choose that in its address. */
export function isOfAllAccounts(): boolean {
  return principal.value?.role === 'operator' && choice('accounts') === 'all';
}
