import type { InferenceRequest } from '../../core/inference-request.ts';
import { malformed } from '../../schema/fault.ts';
import type { Speller } from './aliases.ts';

/** The slugs of a request. */
export type NamedModels = Pick<InferenceRequest, 'models' | 'spellings'>;

/**
 * The slugs to try, in order: `model`, then `models`, without repetitions (docs/spec/routing.md#candidates); slugs
 * compare without regard to case.
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @param presumed The model when none is named.
 * @throws HeadgateError `invalid_request` when there is none, or a fallback is a preset.
 */
export function readModels(
  { model, models }: { readonly model?: string; readonly models?: readonly string[] },
  spell: Speller,
  presumed?: string,
): NamedModels {
  const candidates = new Map<string, string>();
  const spellings = new Map<string, string>();
  const add = (written: string) => {
    const slug = spell(written);
    const key = slug.toLowerCase();
    if (candidates.has(key)) return;
    candidates.set(key, slug);
    if (slug !== written) spellings.set(slug, written);
  };
  if (model !== undefined) add(model);
  for (const [index, slug] of (models ?? []).entries()) {
    if (slug.includes('@preset/')) throw malformed(`models[${index}]`, 'a fallback must not be a preset');
    add(slug);
  }
  if (candidates.size === 0 && presumed !== undefined) add(presumed);
  if (candidates.size === 0) throw malformed('model', 'is required when models is empty, expected a string');
  return { models: [...candidates.values()], ...(spellings.size > 0 && { spellings }) };
}
