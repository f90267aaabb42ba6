import { isObject, type JsonObject } from '../../util/json.ts';

/**
 * Merges two sets of body members: the right one wins, and objects under the same name are joined one level deep.
 */
export function mergeMembers(left: JsonObject, right: JsonObject): JsonObject {
  const members: Record<string, unknown> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    if (value === undefined) continue;
    const known = members[name];
    members[name] = isObject(known) && isObject(value) ? { ...known, ...value } : value;
  }
  return members;
}
