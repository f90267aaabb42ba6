import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { download } from '../parts/download.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Failed } from '../parts/state.tsx';
import type { Failure } from '../state/query.ts';
import { csvFile } from '../text/csv.ts';
import { exactTime } from '../text/time.ts';
import { Plot } from './plot.tsx';
import type { PlotData } from './plot-data.ts';
import { Swatch } from './tip.tsx';

interface ChartCardProps {
  readonly title: string;
  readonly data: PlotData | undefined;
  /** How to draw it; a drawing of another kind brings its own legend. */
  readonly kind: 'bars' | 'lines' | 'areas' | (() => ComponentChildren);
  readonly summary: string;
  /** Why there is nothing to draw; undefined where there is something. */
  readonly empty: string | undefined;
  readonly isStale: boolean;
  /** Why there is no data. */
  readonly failure?: Failure | undefined;
  readonly controls?: ComponentChildren;
  /** What it shows, in a sentence that everybody sees. */
  readonly note?: string;
  readonly onSteps?: (first: number, last: number) => void;
}

const height = 220;

/** A chart with its heading, its legend, and its values as a table and as a file. */
export function ChartCard(props: ChartCardProps) {
  const { title, data, isStale, controls, note } = props;
  const [isTable, setTable] = useState(false);
  return (
    <section class="card chart-card">
      <div class="card-head">
        <h2>{title}</h2>
        <span class="gap" />
        {controls}
        {data !== undefined && (
          <Menu label={`${title}: more`} button={<Icon name="more" />}>
            <button type="button" onClick={() => setTable(!isTable)}>
              {isTable ? 'Show as chart' : 'Show as table'}
            </button>
            <button type="button" onClick={() => download(`${title}.csv`, csvFile(rowsOf(data)))}>
              Download CSV
            </button>
          </Menu>
        )}
      </div>
      {note !== undefined && <p class="chart-note hint">{note}</p>}
      <div class={`chart${isStale ? ' stale' : ''}`}>
        <Body {...props} isTable={isTable} />
      </div>
    </section>
  );
}

/** The chart, its table, or why there is none. */
function Body({
  data,
  kind,
  summary,
  empty,
  failure,
  onSteps,
  isTable,
}: ChartCardProps & { readonly isTable: boolean }) {
  if (failure !== undefined) return <Failed {...failure} />;
  const legend = data !== undefined && data.series.length > 0 && typeof kind !== 'function' && (
    <Legend data={data} />
  );
  if (data === undefined || empty !== undefined) {
    return (
      <>
        <div class="chart-empty" style={{ blockSize: `${height}px` }}>
          <p>{data === undefined ? '' : empty}</p>
        </div>
        {legend}
      </>
    );
  }
  return (
    <>
      {isTable ? (
        <DataTable data={data} />
      ) : typeof kind === 'function' ? (
        kind()
      ) : (
        <Plot data={data} kind={kind} summary={summary} {...(onSteps === undefined ? {} : { onSteps })} />
      )}
      {legend}
    </>
  );
}

function Legend({ data }: { readonly data: PlotData }) {
  return (
    <ul class="legend">
      {data.series.map((group) => (
        <li key={group.label}>
          <Swatch of={group} />
          <span class="cut">{group.label}</span>
        </li>
      ))}
    </ul>
  );
}

function DataTable({ data }: { readonly data: PlotData }) {
  const [head = [], ...rows] = rowsOf(data);
  return (
    <div
      class="table-wrap"
      style={{ blockSize: `${height}px`, overflow: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label="Values"
    >
      <table class="table">
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={cell} class={index > 0 ? 'end' : ''} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((row) => (
            <tr key={row[0]}>
              {row.map((cell, index) => (
                <td key={`${head[index]}`} class={index > 0 ? 'end' : ''}>
                  {index === 0 ? exactTime(cell, data.zone).replace(/:00\.000/, '') : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Exactly what the chart shows: a row for each step, with times in UTC. */
function rowsOf({ starts, series, total }: PlotData): readonly (readonly string[])[] {
  const head = ['time', ...series.map(({ label }) => label), ...(total === undefined ? [] : ['all'])];
  const rows = starts.map((start, index) => [
    start,
    ...series.map(({ exact }) => exact(index)),
    ...(total === undefined ? [] : [total(index)]),
  ]);
  return [head, ...rows];
}
