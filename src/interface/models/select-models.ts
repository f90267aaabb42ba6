import { modelPage, type Queried, queryFlag, queryLimit, queryOffset, queryText } from '../../edge/query.ts';
import { malformed } from '../../schema/fault.ts';
import type { JsonObject } from '../../util/json.ts';
import { describeModel, type ListedModel } from './describe-model.ts';
import type { ModelFacts } from './model-facts.ts';
import { type Keep, queryFilters } from './query-filters.ts';

/**
 * The rows that pass every filter of the query (routing.md 1.5); those that write text where it does not say.
 * @throws HeadgateError `invalid_request` naming the parameter.
 */
export function filterModels(
  rows: readonly ListedModel[],
  request: Queried,
  facts: ModelFacts,
): readonly ListedModel[] {
  if (queryFlag(request, 'use_rss') === true) {
    throw malformed('use_rss', 'there is no feed here; leave it out to get JSON');
  }
  const filters: Keep[] = [];
  for (const [name, read] of Object.entries(queryFilters)) {
    const text = queryText(request, name) ?? (name === 'output_modalities' ? 'text' : undefined);
    if (text !== undefined) filters.push(read(text, name, facts));
  }
  return rows.filter((row) => filters.every((keep) => keep(row)));
}

/**
 * A page of rows as clients see them, or all where the query asks for no page.
 * @param path Of the list, for the link to the next page.
 * @throws HeadgateError `invalid_request`.
 */
export function pageOfModels(
  rows: readonly ListedModel[],
  request: Queried,
  path: string,
  now: number,
): JsonObject {
  const paged = queryText(request, 'offset') !== undefined || queryText(request, 'limit') !== undefined;
  const offset = queryOffset(request);
  const limit = queryLimit(request, modelPage);
  const end = paged ? offset + limit : rows.length;
  return {
    data: rows.slice(offset, end).map((row) => describeModel(row, now)),
    object: 'list',
    total_count: rows.length,
    links: { next: end < rows.length ? linkTo(path, request, end, limit) : null },
  };
}

function linkTo(path: string, request: Queried, offset: number, limit: number): string {
  const query = new URLSearchParams(
    Object.entries(request.query).map(([name, value]) => [name, String(value)]),
  );
  query.set('offset', String(offset));
  query.set('limit', String(limit));
  return `${path}?${query}`;
}
