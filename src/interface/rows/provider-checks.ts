import { apiBase } from '../../edge/paths.ts';
import { listConnections } from '../../operations/installation/check-provider.ts';
import { choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { requireOperator } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { answerOf } from '../schemas/parts.ts';
import { managed, one } from './management-parts.ts';

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
    ...managed,
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
    ...one,
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
