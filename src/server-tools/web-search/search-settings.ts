import { HeadgateError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { SearchQuery } from '../../web-search/search-engine.ts';

/** What an entry says of searches. */
export interface SearchSettings extends Omit<SearchQuery, 'query'> {
  /** Undefined for the first engine there is. */
  readonly engine?: string;
  /** Searches of the request. */
  readonly maxUses?: number;
  /** Results of all searches together. */
  readonly maxTotalResults: number;
}

/** Reads checked settings: `parameters` of the tool, or what stands beside an alias. */
export function readSearchSettings(settings: JsonObject): SearchSettings {
  const { engine, mode, max_results, max_uses, max_total_results, search_context_size: size } = settings;
  const filters = isObject(settings.filters) ? settings.filters : settings;
  const isAny = engine === undefined || engine === 'auto' || engine === 'native';
  return {
    ...(isAny ? {} : { engine: String(engine) }),
    ...(typeof mode === 'string' && { mode }),
    ...((size === 'low' || size === 'medium' || size === 'high') && { contextSize: size }),
    ...(typeof settings.max_characters === 'number' && { maxCharacters: settings.max_characters }),
    ...(typeof max_uses === 'number' && { maxUses: max_uses }),
    maxResults: typeof max_results === 'number' ? max_results : 5,
    maxTotalResults: typeof max_total_results === 'number' ? max_total_results : 50,
    allowedDomains: textsOf(filters.allowed_domains),
    excludedDomains: [...textsOf(filters.excluded_domains), ...textsOf(filters.blocked_domains)],
  };
}

/** A 400 for an engine that this installation does not have. */
export function noEngine(engine: string | undefined): HeadgateError {
  const message =
    engine === undefined
      ? 'tools: web search needs a search engine, see tools.web_search.engines in the configuration'
      : `tools: the search engine "${engine}" is not available on this server, see tools.web_search.engines`;
  return new HeadgateError('invalid_request', message);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
