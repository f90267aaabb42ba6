import type { WorkspaceList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { CallFailure } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { limitCalendar } from '../../state/limit-calendar.ts';
import { useQuery } from '../../state/query.ts';
import { type LimitWindow, windowStart } from '../../state/resets-at.ts';
import { useSeries } from '../../state/usage.ts';

export type Workspace = WorkspaceList['data'][number];

const pageLength = 100;

/** The workspaces of the account, at most a hundred. */
export function useWorkspaces() {
  return useQuery(
    ['workspaces', principal.value?.n],
    async (signal) => (await get('/workspaces', { query: { limit: pageLength }, signal })).data,
    { every: 30_000 },
  );
}

/** One workspace. */
export function useWorkspace(id: string) {
  return useQuery(
    ['workspace', principal.value?.n, id],
    async (signal) => (await get('/workspaces/{id}', { params: { id }, signal })).data,
  );
}

/** The budgets of a workspace. */
export function useBudgets(id: string) {
  return useQuery(['budgets', principal.value?.n, id], (signal) =>
    get('/workspaces/{id}/budgets', { params: { id }, signal }),
  );
}

/** What counts against a budget in its running window, or of one without a window in all; undefined while it is read. */
export function useSpent(
  { id, created_at: created }: Workspace,
  reset: LimitWindow,
  includesOwn: boolean,
): bigint | undefined {
  const totals = useSeries({ workspace: id, bucket: 'all' }, () => {
    const now = Date.now();
    return {
      name: 'custom',
      label: '',
      from: new Date(windowStart(reset, now, limitCalendar.value) ?? Date.parse(created)).toISOString(),
      to: new Date(Math.ceil(now / 900_000) * 900_000).toISOString(),
    };
  }).data?.total.totals;
  if (totals === undefined) return undefined;
  return BigInt(totals.cost_nano) + (includesOwn ? BigInt(totals.byok_cost_nano) : 0n);
}

/** The members of the organization; none for an account of one person. */
export function useMembers() {
  return useQuery(['members', principal.value?.n], async (signal) => {
    try {
      return (await get('/organization/members', { query: { limit: pageLength }, signal })).data;
    } catch (error) {
      if (error instanceof CallFailure && error.status === 404) return null;
      throw error;
    }
  });
}

/** Who is in a workspace. */
export function useWorkspaceMembers(id: string, isOrganization: boolean) {
  return useQuery(
    ['workspace-members', principal.value?.n, id],
    async (signal) =>
      (await get('/workspaces/{id}/members', { params: { id }, query: { limit: pageLength }, signal })).data,
    { enabled: isOrganization },
  );
}
