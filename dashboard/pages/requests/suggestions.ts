import { get } from '../../api/client.ts';
import { mayRead, principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import { chosenRange } from '../../state/range.ts';
import { choice } from '../../state/url.ts';
import type { FilterField } from './filters.ts';

/** A value of a filter and how people call it. */
export type Suggestion = readonly [value: string, label: string];

/** What is known of the values of a field. */
interface Suggestions {
  readonly values: readonly Suggestion[];
  /** Whether there are no others, so that one of them is chosen. */
  readonly isWhole: boolean;
}

/** The workspaces of the key that acts; a filter by them needs at least two. */
export function ownWorkspaces(): readonly Suggestion[] {
  return (principal.value?.workspaces ?? []).map(({ id, name }) => [id, name] as const);
}

/** The values that a field can have: from sums of the chosen range, or from a list of the gateway. */
export function useSuggestions({ dimension, list, options }: FilterField): Suggestions {
  const { from, to } = chosenRange();
  const used = useQuery(
    ['values', dimension],
    (signal) => get('/usage/values', { query: { dimension: dimension ?? 'model', from, to }, signal }),
    { enabled: dimension !== undefined },
  );
  const isManager = principal.value?.role !== 'key';
  const listed = useQuery(
    ['filter', list, principal.value?.n, choice('workspace')],
    (signal) => (list === 'routers' ? routerIds(signal) : presetSlugs(signal)),
    { enabled: (list === 'presets' && mayRead('presets')) || (list === 'routers' && isManager) },
  );
  if (options !== undefined) return { values: options, isWhole: true };
  if (list === 'workspaces') return { values: ownWorkspaces(), isWhole: true };
  if (list !== undefined)
    return { values: (listed.data ?? []).map((value) => [value, value] as const), isWhole: false };
  const values = (used.data?.data ?? []).map(({ value, label }) => [value, label] as const);
  return { values, isWhole: used.data !== undefined && (dimension === 'key' || dimension === 'error') };
}

async function routerIds(signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await get('/routers', { signal });
  return data.map(({ id }) => id);
}

/** The slugs of the chosen workspace or of the first ones there are, at most a hundred each. */
async function presetSlugs(signal: AbortSignal): Promise<readonly string[]> {
  const chosen = choice('workspace');
  const asked =
    principal.value?.role === 'key'
      ? [{}]
      : chosen === undefined
        ? ownWorkspaces()
            .slice(0, mostWorkspaces)
            .map(([id]) => ({ workspace_id: id }))
        : [{ workspace_id: chosen }];
  const lists = await Promise.all(
    asked.map((workspace) => get('/presets', { query: { ...workspace, limit: 100 }, signal })),
  );
  return [...new Set(lists.flatMap(({ data }) => data.map(({ slug }) => slug)))].sort();
}

const mostWorkspaces = 10;
