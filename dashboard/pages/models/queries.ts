import type { EndpointList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { useQuery } from '../../state/query.ts';

export type Endpoint = EndpointList['data'][number];

/** The models that the account may use. */
export function useModels() {
  return useQuery(['models'], (signal) => get('/models/user', { signal }), { every: 120_000 });
}

/** The endpoints of all models, with their states. */
export function useEndpoints() {
  return useQuery(['endpoints'], (signal) => get('/endpoints', { signal }), { every: 15_000 });
}
