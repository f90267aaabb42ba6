import { isObject, type JsonObject } from './json.ts';

/** The definition at the root of a JSON Schema that a reference names; undefined for any other reference. */
export function definitionOf(root: JsonObject, reference: unknown): JsonObject | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
  const held = place === undefined ? undefined : root[place];
  const definition =
    isObject(held) && name !== undefined ? held[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isObject(definition) ? definition : undefined;
}
