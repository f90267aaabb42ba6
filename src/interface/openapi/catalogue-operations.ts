import { modelCategories } from '../../core/listing.ts';
import { modelPage } from '../../edge/query.ts';
import { queryFilters, regionNames } from '../models/query-filters.ts';
import { sortNames } from '../models/query-sorts.ts';
import { limitOf, type Operation, offset, type QueryParameter } from './operations.ts';
import { string, words } from './schema-parts.ts';

const atLeastZero = { type: 'number', minimum: 0 };
const special: Readonly<Record<string, object>> = {
  category: words(...modelCategories),
  distillable: words('true', 'false'),
  zdr: words('true'),
  output_modalities: { type: 'string', default: 'text' },
  region: words(...regionNames),
  context: { type: 'integer', minimum: 0 },
};

const filters: readonly QueryParameter[] = Object.keys(queryFilters).map((name) => [
  name,
  special[name] ?? (/^(min|max)_/.test(name) ? atLeastZero : string),
]);

const list: readonly QueryParameter[] = [
  offset,
  limitOf(modelPage, 'With neither, all are listed'),
  ['sort', words(...sortNames), 'What has no data comes last'],
  ...filters,
];

/** The catalogue (routing.md 1.5). */
export const catalogueOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/models',
    id: 'listModels',
    summary: 'All models',
    answer: 'ModelList',
    query: list,
    access: 'anyone',
  },
  {
    method: 'get',
    path: '/models/count',
    id: 'countModels',
    summary: 'How many models there are',
    answer: 'ModelCount',
    query: filters,
    access: 'anyone',
  },
  {
    method: 'get',
    path: '/models/user',
    id: 'listUsableModels',
    summary: 'The models the account may use',
    answer: 'ModelList',
    query: list,
  },
  {
    method: 'get',
    path: '/model/{author}/{slug}',
    id: 'getModel',
    summary: 'One model, by id, former id, alias or variant',
    answer: 'ModelAnswer',
    failures: ['model_not_found', 'not_found'],
    access: 'anyone',
  },
  {
    method: 'get',
    path: '/models/{author}/{slug}/endpoints',
    id: 'listEndpoints',
    summary: 'Who serves a model, at which prices and how well',
    answer: 'ModelEndpoints',
    failures: ['model_not_found', 'not_found'],
    access: 'anyone',
  },
  {
    method: 'get',
    path: '/endpoints/zdr',
    id: 'listZeroRetentionEndpoints',
    summary: 'The endpoints that keep nothing of what is sent',
    answer: 'EndpointList',
    access: 'anyone',
  },
  {
    method: 'get',
    path: '/providers',
    id: 'listProviders',
    summary: 'The providers in service',
    answer: 'ProviderList',
    access: 'anyone',
  },
];
