import { hash } from 'node:crypto';
import { canonicalJson } from '../../util/canonical-json.ts';
import type { JsonObject } from '../../util/json.ts';

/** The fields in which an object differs before and after a change; all of them where it did not exist. */
export function changedFields(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): { readonly before: JsonObject | null; readonly after: JsonObject | null } {
  if (before === undefined || after === undefined) {
    return { before: fitted(before ?? null), after: fitted(after ?? null) };
  }
  const differs = (name: string) =>
    canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null);
  return { before: fitted(pick(before, differs)), after: fitted(pick(after, differs)) };
}

/** Characters of an object as JSON in an audit entry: the log is never shortened. */
const longest = 16_384;
/** Characters of a field that is named by its length and its hash where the object is longer. */
const longestField = 512;

/** The object, with the length and the hash of fields in place of those that are too long to keep for ever. */
function fitted(object: JsonObject | null): JsonObject | null {
  if (object === null || JSON.stringify(object).length <= longest) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const text = canonicalJson(value ?? null);
      if (text.length <= longestField) return [name, value];
      return [name, { characters: text.length, sha256: hash('sha256', text, 'hex') }];
    }),
  );
}

function pick(object: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isWanted(name)));
}
