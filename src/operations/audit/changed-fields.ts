import { canonicalJson } from '../../util/canonical-json.ts';
import type { JsonObject } from '../../util/json.ts';

/** The fields in which an object differs before and after a change; all of them where it did not exist. */
export function changedFields(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): { readonly before: JsonObject | null; readonly after: JsonObject | null } {
  if (before === undefined || after === undefined) return { before: before ?? null, after: after ?? null };
  const differs = (name: string) =>
    canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null);
  return { before: pick(before, differs), after: pick(after, differs) };
}

function pick(object: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isWanted(name)));
}
