import type { InferenceRequest } from '../../core/inference-request.ts';
import type { HostedTool } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import type { SearchQuery } from '../../web-search/search-engine.ts';

/** What an entry of the plugin says. */
export interface WebSettings extends Omit<SearchQuery, 'query'> {
  /** Undefined: the provider's own search where there is one. */
  readonly engine?: string;
  /** Text before the results, in place of the usual one. */
  readonly prompt?: string;
  /** The same for the search of a provider. */
  readonly hosted: HostedTool;
}

const online = /:online(?::|$)/i;

/** Whether a request asks for the plugin by a variant of a model. Asked for every request. */
export function asksOnline({ models }: InferenceRequest): boolean {
  for (const slug of models) if (online.test(slug)) return true;
  return false;
}

/** Reads the checked members of an entry. */
export function readWebSettings(settings: JsonObject): WebSettings {
  const { engine, mode, max_results, search_prompt: prompt } = settings;
  const allowedDomains = textsOf(settings.include_domains);
  const excludedDomains = textsOf(settings.exclude_domains);
  return {
    ...(typeof engine === 'string' && { engine }),
    ...(typeof mode === 'string' && { mode }),
    ...(typeof prompt === 'string' && prompt !== '' && { prompt }),
    maxResults: typeof max_results === 'number' ? max_results : 5,
    allowedDomains,
    excludedDomains,
    hosted: hostedOf(settings, allowedDomains, excludedDomains),
  };
}

function hostedOf(
  { mode, max_results, max_uses, user_location }: JsonObject,
  allowed: readonly string[],
  excluded: readonly string[],
): HostedTool {
  const filters = {
    ...(allowed.length > 0 && { allowed_domains: allowed }),
    ...(excluded.length > 0 && { excluded_domains: excluded }),
  };
  return {
    kind: 'hosted',
    tool: 'web_search',
    type: 'web_search',
    settings: {
      ...(Object.keys(filters).length > 0 && { filters }),
      ...(mode !== undefined && { mode }),
      ...(max_results !== undefined && { max_results }),
      ...(max_uses !== undefined && { max_uses }),
      ...(user_location !== undefined && { user_location }),
    },
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
