import { offeredTools } from '../core/client-tools.ts';
import type { CanonicalChat } from '../core/request.ts';
import { isObject } from '../util/json.ts';

/** A setting of web search by its name in docs/spec/tools.md#kinds; those in `filters` without the prefix. */
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

/** Whether a request limits its web search by a setting other than those named. */
export function setsSearchBeyond(request: CanonicalChat, known: readonly SearchSetting[]): boolean {
  return searchSettings(request).some((name) => !known.some((other) => other === name));
}

/** Whether a request sets one of these settings. */
export function setsSearch(request: CanonicalChat, ...names: readonly SearchSetting[]): boolean {
  return searchSettings(request).some((name) => names.some((other) => other === name));
}

/** The settings with an effect; the provider's own engine is the default anyway. */
function searchSettings(request: CanonicalChat): readonly string[] {
  return offeredTools(request).flatMap((tool) => {
    if (tool.kind !== 'hosted' || tool.tool !== 'web_search') return [];
    const { filters, ...settings } = tool.settings;
    const all = { ...settings, ...(isObject(filters) ? filters : {}) };
    return Object.entries(all).flatMap(([name, value]) => (hasEffect(name, value) ? name : []));
  });
}

function hasEffect(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (name === 'engine') return value !== 'auto' && value !== 'native';
  return !Array.isArray(value) || value.length > 0;
}
