import { principal } from '../api/session-state.ts';
import { isOfAllAccounts } from '../state/all-accounts.ts';
import { choose } from '../state/url.ts';

/** Lets operators choose between their account and all of them. @param label What is chosen, for screen readers. */
export function AccountsChoice({ label }: { readonly label: string }) {
  if (principal.value?.role !== 'operator') return null;
  return (
    <select
      class="select inline"
      aria-label={label}
      value={isOfAllAccounts() ? 'all' : ''}
      onChange={({ currentTarget }) =>
        choose({ accounts: currentTarget.value, workspace: undefined }, { replace: true })
      }
    >
      <option value="">This account</option>
      <option value="all">All accounts</option>
    </select>
  );
}
