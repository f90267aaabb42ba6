import { malformed } from '../../schema/fault.ts';
import type { RawQuery } from '../../schema/read-query.ts';
import type { Static } from '../../util/json-schema.ts';
import type { ModelList } from '../schemas/catalogue.ts';
import { describeModel, type ListedModel } from './describe-model.ts';
import { type FactServices, modelFactsNow } from './listed-models.ts';
import type { ModelFacts } from './model-facts.ts';
import type { WeeklyPopularity } from './popularity.ts';
import { type Keep, queryFilters } from './query-filters.ts';
import { sortModels, sortsByPopularity } from './query-sorts.ts';

/** How many models a page has, where one is asked for: usually and at most. */
export const usualModels = 500;
export const mostModels = 1000;

/** A query of filters, read. */
interface FilterQuery {
  readonly use_rss?: boolean;
  readonly [filter: string]: unknown;
}

interface ListQuery extends FilterQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: string;
}

/**
 * The rows that pass every filter of the query (docs/spec/catalogue.md#listings); those that write text where it does
 * not say.
 * @throws HeadgateError `invalid_request` where a feed is asked for.
 */
export function filterModels(
  rows: readonly ListedModel[],
  query: FilterQuery,
  facts: ModelFacts,
): readonly ListedModel[] {
  if (query.use_rss === true) throw malformed('use_rss', 'there is no feed here; leave it out to get JSON');
  const filters: Keep[] = [];
  for (const [name, { rule }] of Object.entries(queryFilters)) {
    if (query[name] !== undefined) filters.push(rule(query[name], facts));
  }
  return rows.filter((row) => filters.every((keep) => keep(row)));
}

type SelectServices = FactServices & { readonly popularity: Pick<WeeklyPopularity, 'read'> };

/**
 * A page of the rows a query asks for, in its order, or all where it asks for no page.
 * @param path Of the list, for the link to the next page.
 */
export async function listPage(
  rows: readonly ListedModel[],
  { query, rawQuery }: { readonly query: ListQuery; readonly rawQuery: RawQuery },
  path: string,
  services: SelectServices,
): Promise<Static<typeof ModelList>> {
  const facts = modelFactsNow(services);
  const { sort, offset = 0, limit = usualModels } = query;
  const tokens = sortsByPopularity(sort) ? await services.popularity.read() : new Map<string, number>();
  const found = sortModels(filterModels(rows, query, facts), sort, facts, tokens);
  const isPaged = query.offset !== undefined || query.limit !== undefined;
  const end = isPaged ? offset + limit : found.length;
  return {
    data: found.slice(offset, end).map((row) => describeModel(row, facts.now)),
    object: 'list',
    total_count: found.length,
    links: { next: end < found.length ? linkTo(path, rawQuery, end, limit) : null },
  };
}

function linkTo(path: string, rawQuery: RawQuery, offset: number, limit: number): string {
  const query = new URLSearchParams(Object.entries(rawQuery).map(([name, value]) => [name, String(value)]));
  query.set('offset', String(offset));
  query.set('limit', String(limit));
  return `${path}?${query}`;
}
