import { useEffect, useState } from 'preact/hooks';
import type { RoutePlan } from '../../clients/headgate-api.ts';
import { request } from '../api/client.ts';
import { type Loaded, useQuery } from './query.ts';

/** Milliseconds without a change after which a plan is asked for. */
const pause = 500;

/** Where a request would go, once nothing has changed for a moment. Nothing is sent to a provider. */
export function usePlan(
  body: Readonly<Record<string, unknown>> | undefined,
  keyHash: string | undefined,
  isReady: boolean,
): Loaded<RoutePlan> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const settled = useSettled(text);
  return useQuery(
    ['plan', settled, keyHash],
    async (signal) => {
      const response = await request('POST', 'ui/api/responses/plan', {
        body: JSON.parse(settled ?? '{}'),
        signal,
        headers: keyHash === undefined ? {} : { 'x-headgate-key': keyHash },
      });
      return (await response.json()) as RoutePlan;
    },
    { enabled: isReady && settled !== undefined },
  );
}

function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
