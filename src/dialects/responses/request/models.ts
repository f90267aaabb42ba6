import { malformed } from '../../../schema/fault.ts';
import type { Speller } from './aliases.ts';

/**
 * The slugs to try, in order: `model`, then `models`, without repetitions (routing.md 2.1); slugs
 * compare without regard to case.
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @param presumed The model when none is named.
 * @throws HeadgateError `invalid_request` when there is none, or a fallback is a preset.
 */
export function readModels(
  { model, models }: { readonly model?: string; readonly models?: readonly string[] },
  spell: Speller,
  presumed?: string,
): readonly string[] {
  const candidates = new Map<string, string>();
  if (model !== undefined) candidates.set(spell(model).toLowerCase(), spell(model));
  for (const [index, slug] of (models ?? []).entries()) {
    if (slug.includes('@preset/')) throw malformed(`models[${index}]`, 'a fallback must not be a preset');
    const key = spell(slug).toLowerCase();
    if (!candidates.has(key)) candidates.set(key, spell(slug));
  }
  if (candidates.size === 0 && presumed !== undefined) return [spell(presumed)];
  if (candidates.size === 0) throw malformed('model', 'is required when models is empty, expected a string');
  return [...candidates.values()];
}
