import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../config/config.ts';
import type { Provider } from '../../core/catalogue.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { claudeVia, isShownAnyway, readModelName } from '../../dialects/messages/model-names.ts';
import { apiBase, type RouteCall } from '../../edge/route.ts';
import type { Services } from '../../pipeline/services.ts';
import { usableBy } from '../../pipeline/usable-models.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import { integer, type Static, Type, word } from '../../util/json-schema.ts';
import { hidden, offset, queryFlag } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { findRow, listEndpoints, modelFactsNow, rowsFor, rowsShown } from './listed-models.ts';
import { filterModels, listPage, mostModels, queryFilters, sortNames, usualModels } from './query.ts';
import {
  describeArchitecture,
  describeModel,
  EndpointList,
  type ListedModel,
  ModelAnswer,
  ModelCount,
  ModelEndpoints,
  ModelList,
  ProviderList,
  type ProviderSchema,
} from './show.ts';

const usualPage = 20;
const largestPage = 1_000;

/** Whether a request comes from a client of the Messages format. */
function isMessagesClient(headers: IncomingHttpHeaders): boolean {
  const { clientHeader } = messagesDialect;
  return clientHeader !== undefined && headers[clientHeader] !== undefined;
}

interface Entry {
  readonly id: string;
  readonly row: ListedModel;
}

type ListServices = Services & { readonly config: Pick<Config, 'compat'> };

/**
 * A page of the models that write text, as clients of the Messages format list them (docs/spec/messages.md#models).
 * @throws HeadgateError `invalid_request` for a page that cannot be.
 */
function listMessageModels(
  { caller, query }: Pick<RouteCall, 'caller' | 'query'>,
  services: ListServices,
): JsonObject {
  const entries = entriesFor(caller, services);
  const limit = readLimit(query.limit);
  const after = placeOf(query.after_id, entries);
  const before = placeOf(query.before_id, entries);
  const end = before ?? entries.length;
  const start = after === undefined ? (before === undefined ? 0 : Math.max(0, end - limit)) : after + 1;
  const page = entries.slice(start, Math.min(end, start + limit));
  const hasMore = before === undefined ? start + page.length < end : start > 0;
  return {
    data: page.map(({ id, row }) => describeMessageModel(row, id)),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/** One model as clients of the Messages format see it. */
function describeMessageModel({ model, endpoints }: ListedModel, id: string): JsonObject {
  const [lead] = endpoints;
  return {
    type: 'model',
    id,
    display_name: model.name,
    created_at: isoTime(model.created * 1_000),
    max_input_tokens: lead?.contextLength ?? model.contextLength ?? null,
    max_tokens: lead?.maxCompletionTokens ?? null,
    capabilities: null,
    description: model.description,
  };
}

function entriesFor(caller: Caller | undefined, services: ListServices): readonly Entry[] {
  const isUsable = caller === undefined ? () => true : usableBy(caller, services);
  const rows = rowsFor(caller, services, isUsable).filter(({ model }) =>
    model.outputModalities.includes('text'),
  );
  const marked = services.config.compat.claudeIds;
  return rows.flatMap((row): Entry[] => {
    const id = row.alias ?? row.model.id;
    const entry = { id, row };
    return marked && !isShownAnyway(id) ? [entry, { id: claudeVia + id, row }] : [entry];
  });
}

function readLimit(value: unknown): number {
  if (value === undefined || value === '') return usualPage;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= largestPage) return limit;
  throw malformed('limit', `expected a whole number, 1 to ${largestPage}`);
}

function placeOf(id: unknown, entries: readonly Entry[]): number | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const place = entries.findIndex((entry) => entry.id === id);
  return place === -1 ? undefined : place;
}

const models = `${apiBase}/models`;
const notFound = ['model_not_found', 'not_found'] as const;

const filters = Object.fromEntries(
  Object.entries(queryFilters).map(([name, { schema }]) => [
    name,
    schema.default === undefined ? Type.Optional(schema) : schema,
  ]),
);
const unused = { use_rss: Type.Optional(hidden(queryFlag())) };
const everything = {
  all: Type.Optional(queryFlag('Also models that the key may not use; needs a management key')),
};
const managementOnly = ['permission_denied'] as const;

const FilterQuery = Type.Object({ ...unused, ...everything, ...filters });

const ListQuery = Type.Object({
  offset: Type.Optional(offset),
  limit: Type.Optional(
    integer({
      minimum: 1,
      maximum: mostModels,
      default: usualModels,
      description: 'With neither, all are listed',
    }),
  ),
  sort: Type.Optional(word(sortNames, { description: 'What has no data comes last' })),
  ...unused,
  ...filters,
});

const ShownQuery = Type.Object({ ...ListQuery.properties, ...everything });

const EmbeddingQuery = Type.Object({
  ...everything,
  offset: Type.Optional(offset),
  limit: Type.Optional(integer({ minimum: 1, maximum: mostModels, default: usualModels })),
});

/**
 * The catalogue as clients see it (docs/spec/catalogue.md#listings). A caller whose key works also sees the private
 * models of the account, and how fast endpoints are.
 */
export const modelRows: readonly Row[] = [
  jsonRow({
    method: 'GET',
    path: models,
    access: 'optional',
    id: 'listModels',
    summary: 'All models',
    description:
      'Needs no key; one that works shows more. Clients of the Messages format, which send its version in a header, get the list in the form of that format.',
    query: ShownQuery,
    answer: ModelList,
    failures: managementOnly,
    handle: (call, services) =>
      isMessagesClient(call.headers)
        ? // Another format, which `description` names.
          (listMessageModels({ ...call, query: call.rawQuery }, services) as never)
        : listPage(rowsShown(call, services), call, models, services),
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/embeddings/models`,
    access: 'optional',
    id: 'listEmbeddingModels',
    summary: 'The models that make vectors',
    query: EmbeddingQuery,
    answer: ModelList,
    failures: managementOnly,
    handle: (call, services) => {
      const query = { ...call.query, output_modalities: ['embeddings'] };
      return listPage(
        rowsShown(call, services),
        { ...call, query },
        `${apiBase}/embeddings/models`,
        services,
      );
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${models}/count`,
    access: 'optional',
    id: 'countModels',
    summary: 'How many models there are',
    query: FilterQuery,
    answer: ModelCount,
    failures: managementOnly,
    handle: (call, services) => {
      const found = filterModels(rowsShown(call, services), call.query, modelFactsNow(services));
      return { data: { count: found.length } };
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${models}/user`,
    access: 'key',
    needs: 'self',
    id: 'listUsableModels',
    summary: 'The models the account may use',
    query: ListQuery,
    answer: ModelList,
    handle: (call, services) => {
      const rows = rowsFor(call.caller, services, usableBy(call.caller, services));
      return listPage(rows, call, `${models}/user`, services);
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${models}/{author}/{slug}/endpoints`,
    alsoAt: [`${models}/{id}/endpoints`],
    access: 'optional',
    id: 'listEndpoints',
    summary: 'Who serves a model, at which prices and how well',
    answer: ModelEndpoints,
    failures: notFound,
    handle: (call, services) => {
      const row = findRow(call, services);
      const { name, created, description } = row.model;
      const id = row.alias ?? row.model.id;
      const architecture = describeArchitecture(row.model);
      const endpoints = listEndpoints([row], call.caller, services);
      return { data: { id, name, created, description, architecture, endpoints } };
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/model/{author}/{slug}`,
    alsoAt: [
      `${apiBase}/model/{id}`,
      `${models}/{author}/{slug}`,
      `${models}/{id}`,
      `${models}/claude-via/{author}/{slug}`,
    ],
    access: 'optional',
    description:
      'Needs no key; one that works shows more. Also at `/models/{author}/{slug}`; a slash of the id may be encoded as `%2F`.',
    id: 'getModel',
    summary: 'One model, by id, former id, alias or variant',
    answer: ModelAnswer,
    failures: notFound,
    handle: (call, services) => {
      if (!isMessagesClient(call.headers)) {
        const data = describeModel(findRow(call, services), services.clock.now());
        const { id, object, created, owned_by } = data;
        return { id, object, created, owned_by, data };
      }
      const row = findRow(call, services, readModelName);
      const { id, author, slug } = call.params;
      return describeMessageModel(row, id ?? `${author}/${slug}`) as never;
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/endpoints/zdr`,
    access: 'optional',
    id: 'listZeroRetentionEndpoints',
    summary: 'The endpoints that keep nothing of what is sent',
    query: Type.Object(everything),
    answer: EndpointList,
    failures: managementOnly,
    handle: (call, services) => {
      const rows = rowsShown(call, services).filter(({ alias }) => alias === undefined);
      return { data: listEndpoints(rows, call.caller, services, ({ provider }) => !provider.retainsPrompts) };
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/endpoints`,
    access: 'optional',
    id: 'listAllEndpoints',
    summary: 'The endpoints of all models, with their states and figures',
    query: Type.Object(everything),
    answer: EndpointList,
    failures: managementOnly,
    handle: (call, services) => {
      const rows = rowsShown(call, services).filter(({ alias }) => alias === undefined);
      return { data: listEndpoints(rows, call.caller, services) };
    },
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/providers`,
    access: 'open',
    id: 'listProviders',
    summary: 'The providers in service',
    query: Type.Object({
      all: Type.Optional(queryFlag('Also those that only a credential of the account makes usable')),
    }),
    answer: ProviderList,
    handle: ({ query }, { catalogue, credentialForms }) => ({
      data: [...(query.all === true ? credentialForms.providers() : catalogue().providers.values())].map(
        describeProvider,
      ),
    }),
  }),
];

/** A provider as clients see it (docs/spec/catalogue.md#providers). */
function describeProvider({ name, slug, listing = {} }: Provider): Static<typeof ProviderSchema> {
  return {
    name,
    slug,
    privacy_policy_url: listing.privacyPolicyUrl ?? null,
    terms_of_service_url: listing.termsOfServiceUrl ?? null,
    status_page_url: listing.statusPageUrl ?? null,
    headquarters: listing.headquarters ?? null,
    datacenters: listing.datacenters ?? null,
  };
}
