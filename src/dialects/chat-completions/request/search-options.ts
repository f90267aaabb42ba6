import type { Tool } from '../../../core/request.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { anyObject, choice, optional, Type } from '../../../util/json-schema.ts';

/** `web_search_options`: settings of searches that providers make (docs/spec/chat.md#request). */
export const SearchOptionsSchema = Type.Object({
  search_context_size: optional(choice('low', 'medium', 'high')),
  user_location: optional(anyObject()),
});

/** The settings as a hosted tool has them; undefined without any. They turn nothing on. */
export function readSearchOptions(options: unknown): JsonObject | undefined {
  if (!isObject(options)) return undefined;
  const { search_context_size: size, user_location: location } = options;
  const place = isObject(location) ? placeOf(location) : undefined;
  const settings = {
    ...(typeof size === 'string' && { search_context_size: size }),
    ...(place !== undefined && { user_location: place }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** Tools whose hosted search has the settings that it does not state itself. */
export function withSearchOptions(tools: readonly Tool[], settings: JsonObject | undefined): readonly Tool[] {
  if (settings === undefined) return tools;
  return tools.map((tool) =>
    tool.kind === 'hosted' && tool.tool === 'web_search'
      ? { ...tool, settings: { ...settings, ...tool.settings } }
      : tool,
  );
}

/** Clients write a place flat or inside of `approximate`. */
function placeOf({ approximate, ...flat }: JsonObject): JsonObject {
  const place = isObject(approximate) ? approximate : flat;
  const names = ['city', 'country', 'region', 'timezone'];
  const known = names.flatMap((name) => (typeof place[name] === 'string' ? [[name, place[name]]] : []));
  return { type: 'approximate', ...Object.fromEntries(known) };
}
