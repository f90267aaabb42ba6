import type { Endpoint, Model } from '../../core/catalogue.ts';
import { apiBase } from '../../edge/route.ts';
import type { OutcomeCounts } from '../../ports/endpoint-statistics.ts';
import { isoTime } from '../../util/iso-time.ts';
import {
  choice,
  flag,
  integer,
  list,
  named,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { rowsFor } from '../models/listed-models.ts';
import { answerOf, managed, one } from '../parts.ts';
import { requireOperator, withRole } from '../roles.ts';
import { jsonRow, type Row } from '../row.ts';
import { listConnections } from './check-provider.ts';

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
    needs: 'usage',
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

/** What a provider said of its models. */
const ProviderCheckAnswer = answerOf(
  'ProviderCheck',
  Type.Object({
    provider: text(),
    ok: flag({ description: 'False where it was asked and gave no list' }),
    checked: flag({ description: 'Whether it was asked: not every dialect has a list' }),
    detail: text({ description: 'What came of it, in words' }),
    credential: orNull(choice('accepted', 'refused')),
    listed: orNull(integer({ description: 'How many models it lists' })),
    unlisted: list(
      Type.Object({
        model: text(),
        upstream_model: text({ description: 'What the catalogue calls it at the provider' }),
      }),
    ),
  }),
);

/** How providers are reached. */
const ProviderConnectionList = named(
  'ProviderConnectionList',
  Type.Object({
    data: list(
      Type.Object({
        slug: text(),
        adapter: text(),
        base_host: orNull(text()),
        credentials: integer({ description: 'How many credentials of the operator there are' }),
        can_be_checked: flag(),
      }),
    ),
  }),
);

/** How providers are reached, and whether they answer (docs/spec/catalogue.md#checking-a-provider). */
export const providerCheckRows: readonly Row[] = [
  jsonRow({
    ...managed('installation'),
    method: 'GET',
    path: `${apiBase}/providers/connections`,
    id: 'listProviderConnections',
    summary: 'How the providers in service are reached; only for operators',
    answer: ProviderConnectionList,
    handle: async ({ actor }, services) => {
      const operating = await requireOperator(actor, services);
      const connections = listConnections(operating, services.catalogue());
      return {
        data: connections.map(({ slug, adapter, host, credentials, isAskable }) => ({
          slug,
          adapter,
          base_host: host ?? null,
          credentials,
          can_be_checked: isAskable,
        })),
      };
    },
  }),
  jsonRow({
    ...one('installation'),
    method: 'POST',
    path: `${apiBase}/providers/{slug}/check`,
    id: 'checkProvider',
    summary: 'Ask a provider once for its model list and compare it with the catalogue; only for operators',
    answer: ProviderCheckAnswer,
    handle: async ({ actor, params: { slug = '' } }, services) => {
      const operating = await requireOperator(actor, services);
      const { providerChecks } = services;
      const checked = await providerChecks.check(operating, slug, services.catalogue());
      return {
        data: {
          provider: checked.provider.slug,
          ok: checked.ok,
          checked: checked.asked,
          detail: checked.detail,
          credential: checked.credential ?? null,
          listed: checked.listed ?? null,
          unlisted: checked.unlisted.map(({ model, upstreamModel }) => ({
            model,
            upstream_model: upstreamModel,
          })),
        },
      };
    },
  }),
];
