import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useKeyList } from '../../state/keys.ts';
import { useQuery } from '../../state/query.ts';

/** Names of the keys, credentials and workspaces of the account, by their hash or id. */
export function useNames(): ReadonlyMap<string, string> {
  const keys = useKeyList().data ?? [];
  const credentials = useQuery(['byok', 'names', principal.value?.n], (signal) => get('/byok', { signal }));
  const workspaces = principal.value?.workspaces ?? [];
  return new Map([
    ...keys.map(({ hash, name }) => [hash, name] as const),
    ...(credentials.data?.data ?? []).flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])),
    ...workspaces.map(({ id, name }) => [id, name] as const),
  ]);
}
