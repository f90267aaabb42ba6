import type { Key } from '../../clients/headgate-api.ts';
import { get } from '../api/client.ts';
import { mayRead, principal } from '../api/session-state.ts';
import { type Loaded, useQuery } from './query.ts';
import { choice } from './url.ts';

/** Keys that one workspace shows at most here. */
const mostPages = 5;
const pageLength = 100;

/** The inference keys of the chosen workspace, or of all that the principal may see, newest first. */
export function useKeyList(every?: number): Loaded<readonly Key[]> {
  const mine = principal.value;
  const chosen = choice('workspace');
  const workspaces = (mine?.workspaces ?? [])
    .map(({ id }) => id)
    .filter((id) => chosen === undefined || id === chosen);
  return useQuery(
    ['keys', mine?.n, workspaces],
    async (signal) => {
      const lists = await Promise.all(workspaces.map((id) => listKeys(id, signal)));
      return lists.flat().sort((one, other) => other.created_at.localeCompare(one.created_at));
    },
    { enabled: mine?.role !== 'key' && mayRead('keys'), ...(every === undefined ? {} : { every }) },
  );
}

/** When the keys of the account were last used. */
export function useLastUses() {
  return useQuery(['last-uses', principal.value?.n], (signal) => get('/usage/last', { signal }), {
    every: 60_000,
  });
}

async function listKeys(workspace: string, signal: AbortSignal): Promise<readonly Key[]> {
  const found: Key[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const query = { workspace_id: workspace, include_disabled: 'true', offset: page * pageLength } as const;
    const { data } = await get('/keys', { query, signal });
    found.push(...data);
    if (data.length < pageLength) break;
  }
  return found;
}
