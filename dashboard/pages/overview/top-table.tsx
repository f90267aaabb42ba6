import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { type Dimension, ofAll, useSeries } from '../../state/usage.ts';
import { count, many, plain, share, short } from '../../text/format.ts';

interface TopTableProps {
  readonly title: string;
  readonly dimension: Dimension;
  /** Where a group leads to; undefined for nowhere. */
  readonly link: ((value: string) => string) | undefined;
}

/** The groups that cost most. */
export function TopTable({ title, dimension, link }: TopTableProps) {
  const loaded = useSeries({ group: dimension, bucket: 'all', top: 6, ...ofAll() });
  const groups = loaded.data?.groups ?? [];
  const most = Math.max(1, ...groups.map(({ totals }) => Number(totals.cost_nano)));
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
      </div>
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
