import type { Catalogue, Model } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { fitsNamePattern } from '../util/name-pattern.ts';
import { shownText } from '../util/shown-text.ts';

/** The models that a caller may use, as slugs and patterns in lowercase. */
export interface ModelLimits {
  /** Of the key; null is all. */
  readonly ofKey: readonly string[] | null;
  /** Of guardrails: a model must be in each list. */
  readonly allowed?: readonly (readonly string[])[];
  /** Of guardrails. */
  readonly ignored?: readonly string[];
}

/**
 * Whether a caller may use a model (docs/spec/accounts.md#models-of-a-key, docs/spec/guardrails.md#restrictions). Entries are
 * compared with the model that would serve, under any of its names; one without variant covers all variants.
 * @param limits Undefined allows all models.
 */
export function allowsModel(limits: ModelLimits | undefined, model: Model, catalogue: Catalogue): boolean {
  return limits === undefined || whoForbids(limits, model, catalogue) === undefined;
}

/** @throws HeadgateError `permission_denied` for a model that the caller names and may not use. */
export function requireAllowed(
  limits: ModelLimits | undefined,
  { model, slug }: { readonly model: Model; readonly slug: string },
  catalogue: Catalogue,
): void {
  const by = limits && whoForbids(limits, model, catalogue);
  if (by === undefined) return;
  const who = by === 'key' ? 'The API key may not use' : 'A guardrail does not allow';
  throw new HeadgateError('permission_denied', `${who} the model "${shownText(slug)}".`);
}

function whoForbids(
  { ofKey, allowed = [], ignored = [] }: ModelLimits,
  model: Model,
  catalogue: Catalogue,
): 'key' | 'guardrail' | undefined {
  const ids = [model.id, model.canonicalSlug].map((name) => name.toLowerCase());
  const names = [...new Set([...ids, ...ids.map((id) => id.split(':', 1)[0] ?? id)])];
  const isIn = (list: readonly string[]) =>
    list.some((entry) => {
      const target = catalogue.aliases?.get(entry)?.target?.toLowerCase() ?? entry;
      return names.some((name) => fitsNamePattern(target, name));
    });
  if (ofKey !== null && !isIn(ofKey)) return 'key';
  return isIn(ignored) || !allowed.every(isIn) ? 'guardrail' : undefined;
}
