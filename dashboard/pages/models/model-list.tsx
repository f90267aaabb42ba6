import { useMemo } from 'preact/hooks';
import type { Model } from '../../../clients/headgate-api.ts';
import { EndpointState, worstOf } from '../../parts/endpoint-state.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { type Endpoint, useEndpoints } from '../../state/endpoints.ts';
import { useModels } from '../../state/models.ts';
import type { Column } from '../../state/table-choices.ts';
import { choice, choose, href } from '../../state/url.ts';
import { type Group, lastWeek, useSeries } from '../../state/usage.ts';
import { count, plain, short, tokenPrice } from '../../text/format.ts';
import { ModelFilters, noFilters } from './model-filters.tsx';
import { useFilteredModels } from './queries.ts';

const sorts = {
  usage: 'most used',
  name: 'name',
  input: 'cheapest input',
  context: 'longest context',
} as const;
type Sort = keyof typeof sorts;

/** All models, narrowed by the server, searched and sorted here: the list is one answer. */
export function ModelList() {
  const models = useModels();
  const left = useFilteredModels();
  const rows = useRows(left.data?.data);
  if (models.error !== undefined && models.data === undefined)
    return <Failed error={models.error} retry={models.reload} />;
  if (models.data === undefined) return <Loading height={500} />;
  if (models.data.data.length === 0) {
    return (
      <section class="card">
        <Empty title="No models">
          <p>
            None is configured that this key may use. The configuration file lists models and who serves them.
          </p>
        </Empty>
      </section>
    );
  }
  return (
    <div class="stack">
      <Tools shown={rows?.length} all={models.data.data.length} />
      <ModelFilters models={models.data.data} />
      <section class={`card ${left.isStale ? 'stale' : ''}`}>
        {left.error !== undefined && left.data === undefined ? (
          <Failed error={left.error} retry={left.reload} />
        ) : rows === undefined ? (
          <Loading height={500} />
        ) : rows.length === 0 ? (
          <Empty title="No model matches">
            <button type="button" class="button small" onClick={() => choose(noFilters)}>
              Clear search and filters
            </button>
          </Empty>
        ) : (
          <ModelTable rows={rows} />
        )}
      </section>
    </div>
  );
}

/** Models with what is known of them, those that are searched for, in the chosen order; undefined until all is there. */
function useRows(models: readonly Model[] | undefined): readonly ModelRow[] | undefined {
  const endpoints = useEndpoints();
  const usage = useSeries({ group: 'model', bucket: 'all', top: 50 }, lastWeek);
  const used = new Map((usage.data?.groups ?? []).map((group) => [group.value, group] as const));
  const byModel = useMemo(
    () => Map.groupBy(endpoints.data?.data ?? [], ({ model_id }) => model_id),
    [endpoints.data],
  );
  // The order is that of use: a list that is shown before would change under the pointer.
  if (models === undefined || (usage.data === undefined && usage.error === undefined)) return undefined;
  const words = (choice('q') ?? '').toLowerCase().split(/\s+/);
  return models
    .filter(({ id, name, architecture }) => {
      const haystack = `${id} ${name} ${architecture.input_modalities.join(' ')}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    })
    .map((model) => ({
      model,
      usage: used.get(model.id),
      endpoints: byModel.get(model.canonical_slug) ?? [],
    }))
    .sort(orders[chosenSort()]);
}

function chosenSort(): Sort {
  const sort = choice('sort');
  return sort !== undefined && Object.hasOwn(sorts, sort) ? (sort as Sort) : 'usage';
}

function Tools({ shown, all }: { readonly shown: number | undefined; readonly all: number }) {
  return (
    <div class="row">
      <input
        class="field search"
        data-search
        type="search"
        aria-label="Search models"
        placeholder="Search by name, maker or kind of input…"
        value={choice('q') ?? ''}
        onInput={({ currentTarget }) => choose({ q: currentTarget.value }, { replace: true })}
      />
      <select
        class="select sort-choice"
        aria-label="Sort"
        value={chosenSort()}
        onChange={({ currentTarget }) => choose({ sort: currentTarget.value }, { replace: true })}
      >
        {Object.entries(sorts).map(([name, label]) => (
          <option key={name} value={name}>
            Sort: {label}
          </option>
        ))}
      </select>
      <TableTools list="models" columns={modelColumns} hasViews />
      {shown !== undefined && (
        <span class="hint" role="status">
          {count(shown)} of {count(all)}
        </span>
      )}
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
  readonly model: Model;
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
