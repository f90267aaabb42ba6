import { get } from '../../api/client.ts';
import { useQuery } from '../../state/query.ts';

/** The limits of the account, those that are nearest to their end first. */
export function useLimits() {
  return useQuery(['budgets'], async (signal) => (await get('/budgets', { signal })).data, {
    every: 30_000,
  });
}

/** The key that acts, with its limit. */
export function useOwnKey() {
  return useQuery(['own-key'], (signal) => get('/key', { signal }), { every: 20_000 });
}
