import type { Endpoint, Model } from '../../core/catalogue.ts';
import { apiBase } from '../../edge/paths.ts';
import type { OutcomeCounts } from '../../ports/endpoint-statistics.ts';
import { isoTime } from '../../util/iso-time.ts';
import { flag, integer, list, named, orNull, type Static, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { rowsFor } from '../models/listed-models.ts';
import { withRole } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';

/** How one endpoint does. */
const EndpointHealthSchema = Type.Object({
  model_id: text(),
  model_name: text(),
  provider: text(),
  provider_name: text(),
  tag: text(),
  state: text({ enum: ['normal', 'degraded', 'down', 'rate_limited', 'deprecated'] }),
  since: orNull(text({ description: 'Null while it is normal' })),
  until: orNull(text({ description: 'When the wait after a 429 is over' })),
  last_success_at: orNull(text({ description: 'Null without an answer within a day' })),
  attempts_30m: integer(),
  failures_30m: integer(),
  outcomes_30m: orNull(
    list(Type.Object({ outcome: text(), count: integer() }), {
      description: 'What attempts came to besides answers; null for others than operators',
    }),
  ),
  latency_samples_30m: integer({ description: 'Answers that the percentiles of its latency rest on' }),
  throughput_samples_30m: integer({ description: 'Answers that the percentiles of its throughput rest on' }),
  retains_prompts: flag({ description: 'True where nothing is known' }),
  trains_on_prompts: flag({ description: 'True where nothing is known' }),
  publishes_prompts: flag(),
});

/** How endpoints do. */
const EndpointHealthList = named(
  'EndpointHealthList',
  Type.Object({ as_of: text(), data: list(EndpointHealthSchema) }),
);

/** How endpoints do, and since when (docs/spec/catalogue.md#since-when). */
export const endpointHealthRows: readonly Row[] = [
  jsonRow({
    access: 'key',
    method: 'GET',
    path: `${apiBase}/endpoints/health`,
    id: 'listEndpointHealth',
    summary: 'How the endpoints of all models do, and since when; for operators with the kinds of failures',
    answer: EndpointHealthList,
    handle: async ({ actor, caller }, services) => {
      const { operates = false } = await withRole(actor, services);
      const rows = rowsFor(caller, services).filter(({ alias }) => alias === undefined);
      const data = rows.flatMap(({ model, endpoints }) =>
        endpoints.map((endpoint) => showHealth(endpoint, model, operates, services)),
      );
      return { as_of: isoTime(services.clock.now()), data };
    },
  }),
];

type Shown = Pick<InterfaceServices, 'endpointTroubles' | 'statistics'>;

function showHealth(
  endpoint: Endpoint,
  model: Model,
  showsKinds: boolean,
  { endpointTroubles, statistics }: Shown,
): Static<typeof EndpointHealthSchema> {
  const { provider, tag, status } = endpoint;
  const { condition, since, until, lastSuccess } = endpointTroubles.of(endpoint);
  const facts = statistics.outcomes({ endpoint });
  const answers = statistics.answers(endpoint);
  const { attempts, failures } = facts?.uptime('30m') ?? { attempts: 0, failures: 0 };
  return {
    model_id: model.id,
    model_name: model.name,
    provider: provider.slug,
    provider_name: provider.name,
    tag,
    state: status === 'deprecated' ? 'deprecated' : condition,
    since: timeOrNull(since),
    until: timeOrNull(until),
    last_success_at: timeOrNull(lastSuccess),
    attempts_30m: attempts,
    failures_30m: failures,
    outcomes_30m: showsKinds && facts !== undefined ? kindsOf(facts.outcomes('30m')) : null,
    latency_samples_30m: answers?.samples('latency', '30m') ?? 0,
    throughput_samples_30m: answers?.samples('throughput', '30m') ?? 0,
    retains_prompts: provider.retainsPrompts,
    trains_on_prompts: provider.trainsOnPrompts,
    publishes_prompts: provider.publishesPrompts,
  };
}

/** What happened at least once, except for answers. */
function kindsOf(counts: OutcomeCounts): { readonly outcome: string; readonly count: number }[] {
  return Object.entries(counts)
    .filter(([outcome, count]) => count > 0 && outcome !== 'success')
    .map(([outcome, count]) => ({ outcome, count }));
}

function timeOrNull(time: number | undefined): string | null {
  return time === undefined ? null : isoTime(time);
}
