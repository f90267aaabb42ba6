import type { ProviderCredential } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';

const every = 60_000;

/** The credentials of workspaces, and those of the whole account. */
export function useCredentials(workspaces: readonly string[]) {
  return useQuery(['byok', principal.value?.n, workspaces], async (signal) => {
    const lists = await Promise.all(
      workspaces.map((id) => get('/byok', { query: { workspace_id: id, limit: 100 }, signal })),
    );
    const all = lists.flatMap(({ data }) => data);
    // Those of the whole account are in the list of every workspace.
    return [...new Map(all.map((one): [string, ProviderCredential] => [one.id, one])).values()];
  });
}

/** What own credentials cost at the providers in the running month of UTC. */
export interface MonthCost {
  readonly total: bigint;
  readonly byProvider: ReadonlyMap<string, bigint>;
  /** When the next month begins, Unix milliseconds. */
  readonly endsAt: number;
}

/** The list cost of this UTC month, over all workspaces: the allowance is the account's. */
export function useMonthCost() {
  return useQuery<MonthCost>(
    ['byok-month', principal.value?.n],
    async (signal) => {
      const now = new Date();
      const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
      const [from, to] = [Date.UTC(year, month), Date.UTC(year, month + 1)];
      const query = {
        group: 'provider',
        bucket: 'all',
        top: 50,
        tz: 'UTC',
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      } as const;
      const { groups } = (await get('/usage/series', { query, signal })).data;
      const costs = groups.map(({ value, totals }) => [value ?? '', BigInt(totals.byok_cost_nano)] as const);
      const total = costs.reduce((sum, [, cost]) => sum + cost, 0n);
      return { total, byProvider: new Map(costs), endsAt: to };
    },
    { every },
  );
}

/** The fee of the account, and how much of a month is without one. */
export function useTerms() {
  return useQuery(
    ['byok-terms', principal.value?.n],
    async (signal) => (await get('/byok/terms', { signal })).data,
  );
}
