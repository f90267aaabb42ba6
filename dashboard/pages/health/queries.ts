import { get } from '../../api/client.ts';
import { useQuery } from '../../state/query.ts';

const every = 10_000;

/** The processes of the installation. */
export function useProcesses() {
  return useQuery(['processes'], (signal) => get('/processes', { signal }), { every });
}

/** What an operator should look at. */
export function useRisks() {
  return useQuery(['risks'], (signal) => get('/risks', { signal }), { every });
}

/** The alerts of the last days. */
export function useAlerts() {
  return useQuery(['alerts'], (signal) => get('/alerts', { signal }), { every: 30_000 });
}
