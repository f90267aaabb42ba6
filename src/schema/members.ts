import type { JsonObject } from '../util/json.ts';
import type { TSchema } from '../util/json-schema.ts';
import { memberPath } from './fault.ts';
import { refuseDeep } from './refuse-deep.ts';

/** Gathers the members of an object that its schema does not name; undefined when there are none. */
export type ExtraReader = (raw: JsonObject, path: string) => JsonObject | undefined;

/**
 * Compiles a schema into a reader of what is kept beside the members it names (docs/spec/items.md#unknown-members).
 * @param ignored Members that are known but have no effect.
 */
export function createExtraReader(schema: TSchema, ...ignored: readonly string[]): ExtraReader {
  const known = new Set([...memberNames(schema), ...ignored]);
  return (raw, path) => {
    // Nearly every item has known members only, which is found out without making anything.
    for (const key in raw) if (!known.has(key)) return gather(raw, path, known);
    return undefined;
  };
}

function gather(raw: JsonObject, path: string, known: ReadonlySet<string>): JsonObject {
  const extra = Object.entries(raw).filter(([key]) => !known.has(key));
  for (const [key, value] of extra) refuseDeep(value, memberPath(path, key));
  // fromEntries defines members, so that a key named __proto__ stays an ordinary key.
  return Object.fromEntries(extra);
}

/** The members named, as far as an object has them, unchanged. */
export function pickMembers(raw: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (raw[name] !== undefined) picked[name] = raw[name];
  return picked;
}

/** The members an object schema names. */
export function memberNames(schema: TSchema): readonly string[] {
  return Object.keys(schema.properties ?? {});
}
