import { useState } from 'preact/hooks';
import { get } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { download } from '../../parts/download.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { zone } from '../../state/preferences.ts';
import { chosenRange } from '../../state/range.ts';
import { choice } from '../../state/url.ts';
import { type Dimension, ofAll, useSeries } from '../../state/usage.ts';
import { csvFile } from '../../text/csv.ts';
import { count, many, plain, share, short } from '../../text/format.ts';
import { groupRows } from './group-rows.ts';

interface TopTableProps {
  readonly title: string;
  readonly dimension: Dimension;
  /** Where a group leads to; undefined for nowhere. */
  readonly link: ((value: string) => string) | undefined;
}

/** The groups that cost most. */
export function TopTable({ title, dimension, link }: TopTableProps) {
  const loaded = useSeries({ group: dimension, bucket: 'all', top: 6, ...ofAll() });
  const [failure, setFailure] = useState<string>();
  const groups = loaded.data?.groups ?? [];
  const most = Math.max(1, ...groups.map(({ totals }) => Number(totals.cost_nano)));
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
        <span class="gap" />
        {groups.length > 0 && (
          <Menu label={`${title}: more`} button={<Icon name="more" />}>
            <button
              type="button"
              onClick={() => {
                setFailure(undefined);
                downloadGroups(dimension).catch((error) => setFailure(messageOf(error)));
              }}
            >
              Download CSV of all {dimension}s
            </button>
          </Menu>
        )}
      </div>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      {loaded.error !== undefined && loaded.data === undefined ? (
        <Failed error={loaded.error} retry={loaded.reload} />
      ) : loaded.isLoading ? (
        <Loading height={260} />
      ) : groups.length === 0 ? (
        <Empty title="Nothing yet">
          <p>No requests in this range.</p>
        </Empty>
      ) : (
        <div class={`table-wrap${loaded.isStale ? ' stale' : ''}`}>
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="end">
                  Spend
                </th>
                <th scope="col" class="end">
                  Requests
                </th>
                <th scope="col" class="end wide">
                  Tokens
                </th>
                <th scope="col" class="end wide">
                  Failed
                </th>
              </tr>
            </thead>
            <tbody>
              {groups.map(({ value, label, totals }) => (
                <tr key={value ?? 'others'}>
                  <td title={plain(label)}>
                    <Name value={value} label={label} others={loaded.data?.others ?? 0} link={link} />
                    <span
                      class="share-bar"
                      style={{ inlineSize: `${Math.max(1, (Number(totals.cost_nano) / most) * 100)}%` }}
                    />
                  </td>
                  <td class="end">
                    <Money nano={totals.cost_nano} />
                  </td>
                  <td class="end">{count(totals.requests)}</td>
                  <td class="end wide" title={count(totals.input_tokens + totals.output_tokens)}>
                    {short(totals.input_tokens + totals.output_tokens)}
                  </td>
                  <td class={`end wide${totals.failed > 0 ? ' bad' : ''}`}>
                    {share(totals.failed, totals.requests)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Hands out what each group used in the range, as a file. The sums name 50 groups at most; further ones are one line. */
async function downloadGroups(dimension: Dimension): Promise<void> {
  const { from, to } = chosenRange();
  const workspace = isOfAllAccounts() ? undefined : choice('workspace');
  const query = { group: dimension, bucket: 'all', top: 50, from, to, tz: zone(), ...ofAll() } as const;
  const { data } = await get('/usage/series', {
    query: workspace === undefined ? query : { ...query, workspace },
    signal: AbortSignal.timeout(30_000),
  });
  download(`usage by ${dimension}.csv`, csvFile(groupRows(dimension, data)));
}

interface NameProps extends Pick<TopTableProps, 'link'> {
  /** Null for all other groups together. */
  readonly value: string | null;
  readonly label: string;
  readonly others: number;
}

function Name({ value, label, others, link }: NameProps) {
  if (value === null) return <span class="muted">{many(others, 'other')}</span>;
  if (value === '') return <span class="muted">{label}</span>;
  return link === undefined ? plain(label) : <a href={link(value)}>{plain(label)}</a>;
}
