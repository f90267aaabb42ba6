import type { HeadgateError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { named, type TSchema } from '../util/json-schema.ts';
import { malformed, memberPath, nameOf, quote, quoteAll } from './fault.ts';

/** Objects distinguished by one member: what to do with each kind that is served. */
export interface KindTable<Row> {
  /** The member that names the kind. */
  readonly key: 'type' | 'id';
  readonly rows: ReadonlyMap<string, Row>;
  /** Kinds of the specification that need something this server does not have. */
  readonly unavailable?: ReadonlySet<string>;
}

/** The schemas of all kinds of a table, in documents each under a name such as `ItemFunctionCall`. @param prefix Such as `Item`. */
export function schemasOf(
  prefix: string,
  { rows }: KindTable<{ readonly schema: TSchema }>,
): readonly TSchema[] {
  return Array.from(rows, ([kind, { schema }]) => {
    const words = kind.split(/[^a-z0-9]+/i).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    return named(prefix + words.join(''), schema);
  });
}

/**
 * The row for an object's own kind.
 * @param spell Turns the name as written into the name in the table.
 * @throws HeadgateError `invalid_request` when the kind is missing, unknown or not available.
 */
export function rowFor<Row>(
  table: KindTable<Row>,
  value: JsonObject,
  path: string,
  spell?: (name: string) => string,
): Row {
  const written = value[table.key];
  if (typeof written === 'string') {
    const row = table.rows.get(written) ?? (spell && table.rows.get(spell(written)));
    if (row !== undefined) return row;
  }
  throw kindFault(table, written, memberPath(path, table.key), spell);
}

function kindFault(
  table: KindTable<unknown>,
  written: unknown,
  place: string,
  spell?: (name: string) => string,
): HeadgateError {
  if (written === undefined || written === null) {
    return malformed(place, `is required, one of ${kindsOf(table)}`);
  }
  if (typeof written !== 'string') return malformed(place, `expected a string, got ${nameOf(written)}`);
  const name = spell === undefined ? written : spell(written);
  if (table.unavailable?.has(name)) {
    return malformed(place, `${quote(written)} is not available on this server, leave it out`);
  }
  return malformed(place, `must be one of ${kindsOf(table)}, got ${quote(written)}`);
}

const shownKinds = 10;

function kindsOf({ rows }: KindTable<unknown>): string {
  const kinds = [...rows.keys()];
  const more = kinds.length - shownKinds;
  const shown = quoteAll(kinds.slice(0, shownKinds));
  return more > 0 ? `${shown} and ${more} more (see /openapi.json)` : shown;
}

/** A value as an object whose members nobody has checked. @throws HeadgateError `invalid_request`. */
export function asObject(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw malformed(path, `expected an object, got ${nameOf(value)}`);
}

/** A value as a list whose entries nobody has checked. @throws HeadgateError `invalid_request`. */
export function asList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(path, `expected an array, got ${nameOf(value)}`);
}
