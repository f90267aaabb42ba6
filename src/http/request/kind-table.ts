import type { JsonObject } from '../../core/request.ts';
import { malformed, memberPath, nameOf, quote, quoteAll } from './fault.ts';

/** Objects told apart by one member: what to do with each kind that is served. */
export interface KindTable<Row> {
  /** The member that names the kind. */
  readonly key: 'type' | 'id';
  readonly rows: ReadonlyMap<string, Row>;
  /** Kinds of the specification that are known but not served yet. */
  readonly later?: ReadonlySet<string>;
}

/**
 * The row for an object's own kind.
 * @param spell Turns the name as written into the name in the table.
 * @throws HeadgateError `invalid_request` when the kind is missing, unknown or not served yet.
 */
export function rowFor<Row>(
  table: KindTable<Row>,
  value: JsonObject,
  path: string,
  spell?: (name: string) => string,
): Row {
  const written = value[table.key];
  const place = memberPath(path, table.key);
  if (written === undefined || written === null) {
    throw malformed(place, `is required, one of ${quoteAll(table.rows.keys())}`);
  }
  if (typeof written !== 'string') throw malformed(place, `expected a string, got ${nameOf(written)}`);
  const name = spell === undefined ? written : spell(written);
  const row = table.rows.get(name);
  if (row !== undefined) return row;
  if (table.later?.has(name)) throw malformed(place, `${quote(name)} is not supported by this server yet`);
  throw malformed(place, `must be one of ${quoteAll(table.rows.keys())}, got ${quote(written)}`);
}

/** A value as an object whose members nobody has checked. @throws HeadgateError `invalid_request`. */
export function asObject(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw malformed(path, `expected an object, got ${nameOf(value)}`);
}

/** Whether a value is a JSON object: no array, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a list whose entries nobody has checked. @throws HeadgateError `invalid_request`. */
export function asList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(path, `expected an array, got ${nameOf(value)}`);
}
