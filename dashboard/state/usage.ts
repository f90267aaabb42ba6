import type { UsageSeries } from '../../clients/headgate-api.ts';
import { get } from '../api/client.ts';
import { isOfAllAccounts } from './all-accounts.ts';
import { zone } from './preferences.ts';
import { type Loaded, useQuery } from './query.ts';
import { chosenRange, type TimeRange } from './range.ts';
import { choice } from './url.ts';

export type Series = UsageSeries['data'];
export type Group = Series['groups'][number];
export type Sums = Group['totals'];
export type Dimension = 'key' | 'workspace' | 'model' | 'provider' | 'endpoint' | 'error';

/** What a chart or a table asks besides the range, the zone and the workspace of the page. */
export interface SeriesAsked {
  readonly group?: Dimension;
  readonly bucket?: 'auto' | '1h' | '1d' | 'all';
  /** Another zone than the chosen one. */
  readonly tz?: string;
  readonly top?: number;
  readonly compare?: 'previous';
  readonly times?: 'true' | 'classes';
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly endpoint?: string;
  readonly error?: string;
  readonly outcome?: 'ok' | 'failed' | 'cancelled';
  readonly workspace?: string;
  /** All accounts together, without workspaces. */
  readonly all_accounts?: 'true';
}

/** Milliseconds after which sums are asked again. */
const every = 30_000;

/** The sums of the chosen range. @param range Another range than the chosen one. */
export function useSeries(asked: SeriesAsked, range?: () => TimeRange): Loaded<Series> {
  const chosen = (range ?? chosenRange)();
  const tz = asked.tz ?? zone();
  const workspace = asked.all_accounts ? undefined : (asked.workspace ?? choice('workspace'));
  // A relative range is the same question a minute later.
  const name = chosen.name === 'custom' ? [chosen.from, chosen.to] : [chosen.name];
  return useQuery(
    ['series', ...name, tz, workspace, asked],
    async (signal) => {
      const { from, to } = (range ?? chosenRange)();
      const { workspace: _, ...rest } = asked;
      const query = { ...rest, from, to, tz };
      const inWorkspace = workspace ? { ...query, workspace } : query;
      return (await get('/usage/series', { query: inWorkspace, signal })).data;
    },
    { every },
  );
}

/** The choices of the address that show some steps of a series alone; undefined where there is no such step. */
export function rangeOfSteps(
  series: Pick<Series, 'starts' | 'to'> | undefined,
  first: number,
  last: number,
): { readonly from: string; readonly to: string; readonly range: undefined } | undefined {
  const from = series?.starts[first];
  const to = series?.starts[last + 1] ?? series?.to;
  return from === undefined || to === undefined ? undefined : { from, to, range: undefined };
}

/** What asks for all accounts, where they are chosen. */
export function ofAll(): Pick<SeriesAsked, 'all_accounts'> {
  return isOfAllAccounts() ? { all_accounts: 'true' } : {};
}

/** What can be drawn and compared of sums. */
export const metrics = {
  spend: { label: 'Spend', of: (sums: Sums) => BigInt(sums.cost_nano) },
  requests: { label: 'Requests', of: (sums: Sums) => BigInt(sums.requests) },
  tokens: { label: 'Tokens', of: (sums: Sums) => BigInt(sums.input_tokens + sums.output_tokens) },
  failed: { label: 'Failures', of: (sums: Sums) => BigInt(sums.failed) },
} as const;

export type Metric = keyof typeof metrics;

/** The last seven days, whatever was chosen. */
export function lastWeek(): TimeRange {
  const end = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    name: '7d',
    label: 'Last 7 days',
    from: new Date(end - 7 * 86_400_000).toISOString(),
    to: new Date(end).toISOString(),
  };
}
