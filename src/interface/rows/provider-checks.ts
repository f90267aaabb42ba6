import { apiBase } from '../../edge/paths.ts';
import { listConnections } from '../../operations/installation/check-provider.ts';
import { requireOperator } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { ProviderCheckAnswer, ProviderConnectionList } from '../schemas/provider-checks.ts';
import { managed, one } from './management-parts.ts';

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
