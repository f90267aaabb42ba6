import type { JsonObject } from '../util/json.ts';

/** The named members of a body, as far as it has them. */
export function pickMembers(body: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (body[name] !== undefined) picked[name] = body[name];
  return picked;
}
