import type { Catalogue, Model } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { fitsNamePattern } from '../util/name-pattern.ts';
import { shownText } from '../util/shown-text.ts';

/**
 * Whether a key may use a model (docs/spec/accounts.md#models-of-a-key). Entries are compared with the model that would
 * serve, under any of its names; one without variant covers all variants.
 * @param allowed Slugs and patterns in lowercase; null and undefined allow all models.
 */
export function allowsModel(
  allowed: readonly string[] | null | undefined,
  model: Model,
  catalogue: Catalogue,
): boolean {
  if (allowed === null || allowed === undefined) return true;
  const ids = [model.id, model.canonicalSlug].map((name) => name.toLowerCase());
  const names = new Set([...ids, ...ids.map((id) => id.split(':', 1)[0] ?? id)]);
  return allowed.some((entry) => {
    const target = catalogue.aliases?.get(entry)?.target?.toLowerCase() ?? entry;
    return [...names].some((name) => fitsNamePattern(target, name));
  });
}

/** The refusal of a model that the key may not use. */
export function modelNotAllowed(slug: string): HeadgateError {
  return new HeadgateError('permission_denied', `The API key may not use the model "${shownText(slug)}".`);
}
