import { get } from '../api/client.ts';
import { useQuery } from './query.ts';

/** The models that the account may use. */
export function useModels() {
  return useQuery(['models'], (signal) => get('/models/user', { signal }), { every: 120_000 });
}
