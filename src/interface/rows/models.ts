import { readModelName } from '../../dialects/messages/model-names.ts';
import { apiBase } from '../../edge/paths.ts';
import { usableBy } from '../../pipeline/usable-models.ts';
import { integer, Type, word } from '../../util/json-schema.ts';
import { describeArchitecture, describeModel } from '../models/describe-model.ts';
import { describeProvider } from '../models/describe-provider.ts';
import { findRow, listEndpoints, modelFactsNow, rowsFor, rowsShown } from '../models/listed-models.ts';
import { describeMessageModel, isMessagesClient, listMessageModels } from '../models/message-models.ts';
import { queryFilters } from '../models/query-filters.ts';
import { sortNames } from '../models/query-sorts.ts';
import { filterModels, listPage, mostModels, usualModels } from '../models/select-models.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  EndpointList,
  ModelAnswer,
  ModelCount,
  ModelEndpoints,
  ModelList,
  ProviderList,
} from '../schemas/catalogue.ts';
import { hidden, offset, queryFlag } from './query-parts.ts';

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
