import type { Model, ModelAlias } from '../core/catalogue.ts';
import { familyOf } from '../core/model-family.ts';

/**
 * `~author/family-latest` for each family (docs/spec/routing.md#latest-aliases): its newest model by `created` that is
 * listed and can be served; of equals the later entry. Variants and retired models never count; private ones only where
 * a family has no other. A family without any model keeps its alias, which then resolves to nothing.
 */
export function latestAliases(models: Iterable<Model>): ReadonlyMap<string, ModelAlias> {
  const newest = new Map<string, Model | undefined>();
  for (const model of models) {
    const family = familyOf(model)?.toLowerCase();
    if (family === undefined) continue;
    const known = newest.get(family);
    newest.set(family, isEligible(model) && isNewer(model, known) ? model : known);
  }
  const aliases = [...newest].map(
    ([family, model]) => [`~${family}-latest`, Object.freeze({ kind: 'latest', target: model?.id })] as const,
  );
  return new Map(aliases);
}

function isEligible({ id, hidden, retired, endpoints }: Model): boolean {
  const inService = endpoints.some(({ status }) => status === undefined);
  return hidden !== true && retired === undefined && inService && !id.includes(':');
}

function isNewer(model: Model, known: Model | undefined): boolean {
  if (known === undefined) return true;
  const [isPublic, knownIsPublic] = [model.accounts === undefined, known.accounts === undefined];
  return isPublic === knownIsPublic ? model.created >= known.created : isPublic;
}
