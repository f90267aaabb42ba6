import type { RouterList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';

/** A router, and what it did in the last seven days. */
export type Router = RouterList['data'][number];

/** The routers of the gateway. */
export function useRouters() {
  return useQuery(
    ['routers', principal.value?.n],
    async (signal) => (await get('/routers', { signal })).data,
    { every: 60_000 },
  );
}
