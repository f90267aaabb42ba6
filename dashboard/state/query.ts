import {
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/query-core';
import { useEffect, useState } from 'preact/hooks';
import { CallFailure } from '../api/errors.ts';

/** What pages have asked, kept for a moment and asked again while they are open. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 300_000,
      refetchOnWindowFocus: true,
      // Refusals stay; a server that is away comes back.
      retry: (count, error) =>
        count < 3 && (!(error instanceof CallFailure) || error.status === 0 || error.status >= 502),
      retryDelay: (count) => Math.min(8_000, 500 * 2 ** count),
      networkMode: 'always',
    },
  },
});

/** An answer as a page shows it. While another one is loaded the earlier one stays, marked as stale. */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Whether `data` answers an earlier question. */
  readonly isStale: boolean;
  readonly reload: () => void;
}

/** Why there is nothing to show, and how to ask again; undefined where there is an answer or one is awaited. */
export function failureOf({ data, error, reload }: Loaded<unknown>): Failure | undefined {
  return error === undefined || data !== undefined ? undefined : { error, retry: reload };
}

export interface Failure {
  readonly error: Error;
  readonly retry: () => void;
}

interface Options {
  /** Milliseconds until it is asked again, while the page is visible. */
  readonly every?: number;
  /** Whether it is never asked again by itself, as where each reading is noted. */
  readonly isOnce?: boolean;
  readonly enabled?: boolean;
}

/** Asks once for every key, and again in intervals. */
export function useQuery<Data>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Data>,
  { every, isOnce = false, enabled = true }: Options = {},
): Loaded<Data> {
  const options: QueryObserverOptions<Data> = {
    queryKey: key,
    queryFn: ({ signal }) => ask(signal),
    enabled,
    placeholderData: keepPreviousData,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(isOnce ? { staleTime: Infinity, refetchOnWindowFocus: false, retry: false } : {}),
  };
  const [observer] = useState(() => new QueryObserver<Data>(queries, options));
  const [, redraw] = useState(0);
  const name = JSON.stringify([key, enabled, every]);
  useEffect(() => observer.setOptions(options), [name]);
  useEffect(() => observer.subscribe(() => redraw((count) => count + 1)), [observer]);
  const result = observer.getOptimisticResult(queries.defaultQueryOptions(options));
  return {
    data: result.data,
    error: result.error ?? undefined,
    isLoading: result.isPending && enabled,
    isStale: result.isPlaceholderData,
    reload: () => void observer.refetch(),
  };
}
