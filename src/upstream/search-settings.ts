import { offeredTools } from '../core/client-tools.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { isObject } from '../util/json.ts';

/** What a request says of a search of the web, by the names of responses.md 5; those inside `filters` alone. */
export type SearchSetting =
  | 'engine'
  | 'mode'
  | 'max_results'
  | 'max_uses'
  | 'search_context_size'
  | 'user_location'
  | 'allowed_domains'
  | 'blocked_domains'
  | 'excluded_domains';

/** Whether a request limits its searches of the web by a setting other than those named. */
export function setsSearchBeyond(request: CanonicalRequest, known: readonly SearchSetting[]): boolean {
  return searchSettings(request).some((name) => !known.some((other) => other === name));
}

/** Whether a request sets one of these. */
export function setsSearch(request: CanonicalRequest, ...names: readonly SearchSetting[]): boolean {
  return searchSettings(request).some((name) => names.some((other) => other === name));
}

/** The settings that say something: the provider's own engine is what is asked for anyway. */
function searchSettings(request: CanonicalRequest): readonly string[] {
  return offeredTools(request).flatMap((tool) => {
    if (tool.kind !== 'hosted' || tool.tool !== 'web_search') return [];
    const { filters, ...settings } = tool.settings;
    const all = { ...settings, ...(isObject(filters) ? filters : {}) };
    return Object.entries(all).flatMap(([name, value]) => (says(name, value) ? name : []));
  });
}

function says(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (name === 'engine') return value !== 'auto' && value !== 'native';
  return !Array.isArray(value) || value.length > 0;
}
