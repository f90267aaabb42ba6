import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';
import { lastWeek, useSeries } from '../../state/usage.ts';

/** The account that the page shows: the own one, or for an operator the one in the address. */
export function shownAccount(): string | undefined {
  return principal.value?.role === 'operator' ? choice('account') : undefined;
}

/** Names the account that is shown, where it is another one. */
export function accountQuery(): Readonly<Record<string, string>> {
  const account = shownAccount();
  return account === undefined ? {} : { account_id: account };
}

const newest = 100;

/** The newest movements and the balance. */
export function useLedger() {
  return useQuery(
    ['ledger', shownAccount()],
    (signal) => get('/ledger', { query: { ...accountQuery(), limit: newest }, signal }),
    { every: 30_000 },
  );
}

/** Nano-USD that the own account spent a day within the last seven; undefined while that is not known. */
export function usePace(): bigint | undefined {
  const week = useSeries({ bucket: 'all', workspace: '' }, lastWeek);
  return week.data === undefined ? undefined : BigInt(week.data.total.totals.cost_nano) / 7n;
}

/** Movements that follow those of a page. */
export function readOlder(cursor: string) {
  return get('/ledger', { query: { ...accountQuery(), limit: newest, cursor } });
}

/** What running requests reserve. */
export function useHolds() {
  return useQuery(
    ['holds', shownAccount()],
    async (signal) => (await get('/holds', { query: accountQuery(), signal })).data,
    { every: 10_000 },
  );
}
