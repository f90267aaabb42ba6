import { useMemo, useState } from 'preact/hooks';
import { EndpointState, worstOf } from '../../parts/endpoint-state.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { type Endpoint, useEndpoints } from '../../state/endpoints.ts';
import type { Column } from '../../state/table-choices.ts';
import { choice, choose, href } from '../../state/url.ts';
import { type Group, lastWeek, useSeries } from '../../state/usage.ts';
import { count, plain, short, tokenPrice } from '../../text/format.ts';
import { useModels } from './queries.ts';

const sorts = {
  usage: 'most used',
  name: 'name',
  input: 'cheapest input',
  context: 'longest context',
} as const;
type Sort = keyof typeof sorts;

/** All models, searched and sorted here: the list is one answer. */
export function ModelList() {
  const models = useModels();
  const endpoints = useEndpoints();
  const usage = useSeries({ group: 'model', bucket: 'all', top: 50 }, lastWeek);
  const [text, setText] = useState('');
  const sort = (choice('sort') ?? 'usage') as Sort;
  const used = new Map(
    (usage.data?.groups ?? []).flatMap((group) =>
      group.value === null ? [] : [[group.value, group] as const],
    ),
  );
  const byModel = useMemo(
    () => Map.groupBy(endpoints.data?.data ?? [], ({ model_id }) => model_id),
    [endpoints.data],
  );
  if (models.error !== undefined && models.data === undefined)
    return <Failed error={models.error} retry={models.reload} />;
  // The order is that of use: a list that is shown before would change under the pointer.
  if (models.data === undefined || (usage.data === undefined && usage.error === undefined))
    return <Loading height={500} />;
  const words = text.toLowerCase().split(/\s+/);
  const shown = models.data.data
    .filter(({ id, name, architecture }) => {
      const haystack = `${id} ${name} ${architecture.input_modalities.join(' ')}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    })
    .map((model) => ({
      model,
      usage: used.get(model.id),
      endpoints: byModel.get(model.canonical_slug) ?? [],
    }))
    .sort(orders[sort]);
  return (
    <div class="stack">
      <div class="row">
        <input
          class="field search"
          data-search
          type="search"
          aria-label="Search models"
          placeholder="Search by name, maker or kind of input…"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <select
          class="select sort-choice"
          aria-label="Sort"
          value={sort}
          onChange={({ currentTarget }) => choose({ sort: currentTarget.value }, { replace: true })}
        >
          {Object.entries(sorts).map(([name, label]) => (
            <option key={name} value={name}>
              Sort: {label}
            </option>
          ))}
        </select>
        <TableTools list="models" columns={modelColumns} hasViews />
        <span class="hint" role="status">
          {count(shown.length)} of {count(models.data.data.length)}
        </span>
      </div>
      <section class="card">
        {shown.length === 0 ? (
          <Empty title="No model matches">
            <button type="button" class="button small" onClick={() => setText('')}>
              Clear the search
            </button>
          </Empty>
        ) : (
          <ModelTable rows={shown} />
        )}
      </section>
    </div>
  );
}

const modelColumns: readonly Column[] = [
  { name: 'Model', isFixed: true },
  { name: 'State', look: 'wide' },
  { name: 'Context', look: 'end wide' },
  { name: 'Input /M', look: 'end' },
  { name: 'Output /M', look: 'end' },
  { name: 'Requests, 7 days', look: 'end wide' },
  { name: 'Spend, 7 days', look: 'end wide' },
];

interface ModelRow {
  readonly model: NonNullable<ReturnType<typeof useModels>['data']>['data'][number];
  readonly usage: Group | undefined;
  readonly endpoints: readonly Endpoint[];
}

const price = ({ model }: ModelRow) =>
  model.pricing.prompt.startsWith('-') ? Number.POSITIVE_INFINITY : Number(model.pricing.prompt);

const orders: Readonly<Record<Sort, (one: ModelRow, other: ModelRow) => number>> = {
  usage: (one, other) =>
    (other.usage?.totals.requests ?? 0) - (one.usage?.totals.requests ?? 0) ||
    one.model.id.localeCompare(other.model.id),
  name: (one, other) => one.model.name.localeCompare(other.model.name),
  input: (one, other) => price(one) - price(other),
  context: (one, other) => (other.model.context_length ?? 0) - (one.model.context_length ?? 0),
};

function ModelTable({ rows }: { readonly rows: readonly ModelRow[] }) {
  return (
    <ListTable list="models" columns={modelColumns} class="fluid models">
      {rows.map(({ model, usage, endpoints }) => (
        <tr key={model.id}>
          <td>
            <a href={href(`models/${encodeURIComponent(model.id)}`)}>{plain(model.name)}</a>
            <span class="hint cut model-id">{plain(model.id)}</span>
          </td>
          <td class="wide">
            {endpoints.length === 0 ? (
              <span class="muted">–</span>
            ) : (
              <EndpointState status={worstOf(endpoints)} />
            )}
            {endpoints.length > 1 && <span class="muted"> {endpoints.length} endpoints</span>}
          </td>
          <td class="end wide">{model.context_length === null ? '–' : short(model.context_length)}</td>
          <td class="end">{tokenPrice(model.pricing.prompt)}</td>
          <td class="end">{tokenPrice(model.pricing.completion)}</td>
          <td class="end wide">{usage === undefined ? '–' : count(usage.totals.requests)}</td>
          <td class="end wide">{usage === undefined ? '–' : <Money nano={usage.totals.cost_nano} />}</td>
        </tr>
      ))}
    </ListTable>
  );
}
