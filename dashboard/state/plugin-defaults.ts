import type { AccountPluginDefaults } from '../../clients/headgate-api.ts';
import { get } from '../api/client.ts';
import { principal } from '../api/session-state.ts';
import { useQuery } from './query.ts';

/** Plugins that are on by default for the own account, and what the configuration says of them. */
export type AccountDefaults = AccountPluginDefaults['data'];

/** Reads them. */
export function usePluginDefaults() {
  return useQuery(
    ['plugin-defaults', principal.value?.n],
    async (signal) => (await get('/plugins/defaults', { signal })).data,
  );
}
