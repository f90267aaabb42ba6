import type { EndpointHealthList, EndpointList } from '../../clients/headgate-api.ts';
import { get } from '../api/client.ts';
import { useQuery } from './query.ts';

export type Endpoint = EndpointList['data'][number];

/** The endpoints of all models, with their states. */
export function useEndpoints() {
  return useQuery(['endpoints'], (signal) => get('/endpoints', { signal }), { every: 15_000 });
}

export type EndpointHealth = EndpointHealthList['data'][number];

/** How all endpoints do, and since when. */
export function useEndpointHealth() {
  return useQuery(['endpoint-health'], (signal) => get('/endpoints/health', { signal }), { every: 15_000 });
}
