import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';

const pageLength = 100;

/** The destinations of a workspace, or of all of the account, at most a hundred. */
export function useDestinations(workspace: string | undefined) {
  return useQuery(
    ['destinations', principal.value?.n, workspace],
    async (signal) => {
      const query = { limit: pageLength, ...(workspace !== undefined && { workspace_id: workspace }) };
      return (await get('/observability/destinations', { query, signal })).data;
    },
    { every: 10_000 },
  );
}

/** The types that there are. */
export function useTypes() {
  return useQuery(
    ['destination-types'],
    async (signal) => (await get('/observability/destination-types', { signal })).data,
  );
}

/** The workspaces that send nothing to their destinations. */
export function useSilentWorkspaces() {
  return useQuery(['silent-workspaces', principal.value?.n], async (signal) => {
    const { data } = await get('/workspaces', { query: { limit: pageLength }, signal });
    return data.filter(({ is_observability_broadcast_enabled: sends }) => !sends);
  });
}
